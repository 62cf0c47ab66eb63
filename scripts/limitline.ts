#!/usr/bin/env -S node --max-semi-space-size=8 --preserve-symlinks
import { Command } from 'commander';
import { makeLog } from '../src/log.ts';
import { versionWords } from '../src/version.ts';
import { beginCommand } from './audit/audit-command.ts';
import { registerNamed } from './command-list.ts';
import { sayNotices } from './opening/say-notices.ts';
import { endByFault, sayCrashes } from './process/crash.ts';
import { speakThroughLog } from './process/log-only.ts';
import { surviveOutput } from './process/output-faults.ts';
import { makeTerminal } from './terminal/terminal.ts';

/** Commands that run for long, and whose standard error is a log; `listen` is that of `events`. */
const LOGGING: ReadonlySet<string> = new Set(['up', 'work', 'console', 'nightly', 'service', 'listen']);

/** Long enough for a process to end by itself, which it nearly always does at once. */
const LINGER_MS = 1_000;

const terminal = makeTerminal({ json: process.argv.includes('--json') });

sayCrashes(terminal);
surviveOutput(terminal);

const program = new Command('limitline')
  .description('Turns a CSV of buyers into credit limit requests at an invoice financing service.')
  // Which commit it is, is looked up for those who ask.
  .version(
    process.argv.includes('--version') ? versionWords() : '',
    '--version',
    'print version, commit and format of the ledger',
  )
  .option('--json', 'print JSON on standard output, and nothing else there')
  .configureHelp({ showGlobalOptions: true })
  .showHelpAfterError('(limitline --help lists the commands)')
  .addHelpText('after', '\nSettings are read from the environment and from a .env file;\ndocs/settings.md lists them.')
  .exitOverride()
  .hook('preAction', (_program, command) => {
    // Before anything is said: a fault of the settings is a line of the log, too.
    if (LOGGING.has(command.name())) speakThroughLog(terminal, makeLog({ level: 'info' }));
    beginCommand(command);
    return sayNotices(command.name(), terminal);
  });

await registerNamed(process.argv, program, terminal);

try {
  await program.parseAsync();
} catch (error) {
  endByFault(error, terminal);
}

// What still keeps the process when its work is done, such as a connection that looks for a Redis that is gone, must not
// do so for ever. Output that somebody is still reading may.
setInterval(() => {
  if (process.stdout.writableLength === 0 || process.stdout.errored) process.exit();
}, LINGER_MS).unref();
