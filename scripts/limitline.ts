#!/usr/bin/env -S node --max-semi-space-size=8 --preserve-symlinks
import { Command } from 'commander';
import { makeLog } from '../src/log.ts';
import { beginCommand } from './audit/audit-command.ts';
import { sayNotices } from './opening/say-notices.ts';
import { endByFault, sayCrashes } from './process/crash.ts';
import { speakThroughLog } from './process/log-only.ts';
import { surviveOutput } from './process/output-faults.ts';
import { readVersion } from './process/version.ts';
import { makeTerminal, type Terminal } from './terminal/terminal.ts';

/** In the order in which a new user meets them. */
const COMMANDS: Record<string, () => Promise<{ register: (program: Command, terminal: Terminal) => void }>> = {
  check: () => import('./commands/check.ts'),
  run: () => import('./commands/run.ts'),
  import: () => import('./commands/import.ts'),
  up: () => import('./commands/up.ts'),
  work: () => import('./commands/work.ts'),
  console: () => import('./commands/console.ts'),
  portfolios: () => import('./commands/portfolios.ts'),
  report: () => import('./commands/report.ts'),
  retry: () => import('./commands/retry.ts'),
  resolve: () => import('./commands/resolve.ts'),
  approve: () => import('./commands/approve.ts'),
  decline: () => import('./commands/decline.ts'),
  pause: () => import('./commands/pause.ts'),
  resume: () => import('./commands/resume.ts'),
  cancel: () => import('./commands/cancel.ts'),
  archive: () => import('./commands/archive.ts'),
  forget: () => import('./commands/forget.ts'),
  restore: () => import('./commands/restore.ts'),
  recover: () => import('./commands/recover.ts'),
  reconcile: () => import('./commands/reconcile.ts'),
  rule: () => import('./commands/rule.ts'),
  schedule: () => import('./commands/schedule.ts'),
  nightly: () => import('./commands/nightly.ts'),
  notices: () => import('./commands/notices.ts'),
  inbox: () => import('./commands/inbox.ts'),
  mapping: () => import('./commands/mapping.ts'),
  user: () => import('./commands/user.ts'),
  audit: () => import('./commands/audit.ts'),
  events: () => import('./commands/events.ts'),
  service: () => import('./commands/service.ts'),
};

/** Commands that run for long, and whose standard error is a log; `listen` is that of `events`. */
const LOGGING: ReadonlySet<string> = new Set(['up', 'work', 'console', 'nightly', 'service', 'listen']);

/** Long enough for a process to end by itself, which it nearly always does at once. */
const LINGER_MS = 1_000;

const terminal = makeTerminal({ json: process.argv.includes('--json') });

sayCrashes(terminal);
surviveOutput(terminal);

const program = new Command('limitline')
  .description('Turns a CSV of buyers into credit limit requests at an invoice financing service.')
  .version(readVersion(), '--version', 'print the version, and nothing else')
  .option('--json', 'print JSON on standard output, and nothing else there')
  .configureHelp({ showGlobalOptions: true })
  .showHelpAfterError('(limitline --help lists the commands)')
  .addHelpText('after', '\nSettings are read from the environment and from a .env file; the README\nlists them.')
  .exitOverride()
  .hook('preAction', (_program, command) => {
    // Before anything is said: a fault of the settings is a line of the log, too.
    if (LOGGING.has(command.name())) speakThroughLog(terminal, makeLog({ level: 'info' }));
    beginCommand(command);
    return sayNotices(command.name(), terminal);
  });

// A command loads only what it needs: `check` knows nothing of Redis, and uses no memory for it.
const named = Object.keys(COMMANDS).filter((name) => process.argv.includes(name));
for (const name of named.length > 0 ? named : Object.keys(COMMANDS))
  (await COMMANDS[name]?.())?.register(program, terminal);

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
