#!/usr/bin/env -S node --max-semi-space-size=8 --preserve-symlinks
import { Command } from 'commander';
import { makeLog } from '../src/log.ts';
import { versionJson, versionWords } from '../src/version.ts';
import { beginCommand } from './audit/audit-command.ts';
import { registerNamed } from './command-list.ts';
import { sayNotices } from './opening/say-notices.ts';
import { endByFault, sayCrashes, surviveOutput } from './process/crash.ts';
import { speakThroughLog } from './process/long-running.ts';
import { makeTerminal } from './terminal/terminal.ts';
import { isPartOfUp } from './up/with-parent.ts';

/** Commands that run for long and use standard error for a log; `listen` is `events listen`. */
const LOGGING: ReadonlySet<string> = new Set(['up', 'work', 'console', 'nightly', 'service', 'listen']);

/** How long a process may take to end by itself after its work; nearly always it ends at once. */
const LINGER_MS = 1_000;

const json = process.argv.includes('--json');
const terminal = makeTerminal({ json });

sayCrashes(terminal);
surviveOutput(terminal);

const program = new Command('limitline')
  .description('Turns a CSV of buyers into credit limit requests at an invoice financing service.')
  // The commit is looked up only for --version.
  .version(
    process.argv.includes('--version') ? (json ? versionJson() : versionWords()) : '',
    '--version',
    'print version, commit and format of the ledger',
  )
  .option('--json', 'print JSON on standard output, and nothing else there')
  .configureHelp({ showGlobalOptions: true })
  .addHelpText('after', '\nSettings are read from the environment and from a .env file;\ndocs/settings.md lists them.')
  .exitOverride()
  .hook('preAction', (_program, command) => {
    if (command.getOptionValue('out') === '-') command.setOptionValue('out', undefined);
    // The log begins before anything is printed: a fault of the settings is a log entry, too.
    if (LOGGING.has(command.name())) speakThroughLog(terminal, makeLog({ level: 'info' }));
    beginCommand(command);
    return sayNotices(command.name(), terminal, isPartOfUp(command.name()));
  });

await registerNamed(process.argv, program, terminal);

try {
  await program.parseAsync();
} catch (error) {
  endByFault(error, terminal);
}

// Ends the process when something keeps it alive after its work, such as reconnects to an absent Redis, unless output is still being read.
setInterval(() => {
  if (process.stdout.writableLength === 0 || process.stdout.errored) process.exit();
}, LINGER_MS).unref();
