import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { CommanderError, Command as Program } from 'commander';
import { onTestFinished } from 'vitest';
import { beginCommand } from '../../scripts/audit/audit-command.ts';
import { sayNotices } from '../../scripts/opening/say-notices.ts';
import { sayFault } from '../../scripts/process/crash.ts';
import { makeTerminal, type Terminal } from '../../scripts/terminal/terminal.ts';
import { bundled } from './bundle.ts';

/** The source of the command line. A few tests show that it starts. */
export const LIMITLINE_SOURCE = fileURLToPath(new URL('../../scripts/limitline.ts', import.meta.url));

/**
 * The bundled command line, for all other tests of commands. It saves loading a thousand files, half of the time of a
 * command.
 */
export const LIMITLINE = bundled('limitline');

export type Ended = { status: number | null; stdout: string; stderr: string };

export type Command = { child: ChildProcess; ended: Promise<Ended>; output: () => { stdout: string; stderr: string } };

/** Compiled code that is shared by the hundreds of commands of a test run, which halves their time. */
export const COMPILED = {
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../node_modules/.cache/limitline', import.meta.url)),
};

/** The variable that puts the user's data folder into the folder of the test. */
export function ownDataHome(cwd: string): { XDG_DATA_HOME: string } {
  return { XDG_DATA_HOME: join(cwd, '.data-home') };
}

/** `input` is written to standard input; without it, standard input is closed. */
type Place = { cwd: string; env?: Record<string, string>; input?: string | Buffer };

/**
 * Starts the command line as a user does, in a folder and with settings of the test. It is killed at the end of the
 * test if it still runs.
 */
export function startCommand(args: string[], place: Place): Command {
  return startScript(LIMITLINE, args, place);
}

/** Runs a command to its end. */
export function runCommand(args: string[], place: Place): Promise<Ended> {
  return startCommand(args, place).ended;
}

/** Starts another script than the command line: `start.ts` is the script of `npm start`. */
export function startScript(script: string, args: string[], { cwd, env = {}, input }: Place): Command {
  const child = spawn(process.execPath, [script, ...args], {
    cwd,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...COMPILED, ...ownDataHome(cwd), ...env },
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  child.stdin?.end(input);
  let [stdout, stderr] = ['', ''];
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = new Promise<Ended>((resolve) => {
    child.once('close', (status) => resolve({ status, stdout, stderr }));
  });
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await ended;
  });
  return { child, ended, output: () => ({ stdout, stderr }) };
}

type CommandModule = { register: (program: Program, terminal: Terminal) => void };

const COMMANDS: Record<string, () => Promise<CommandModule>> = {
  'acknowledge-rollback': () => import('../../scripts/commands/acknowledge-rollback.ts'),
  approve: () => import('../../scripts/commands/approve.ts'),
  archive: () => import('../../scripts/commands/archive.ts'),
  audit: () => import('../../scripts/commands/audit.ts'),
  cancel: () => import('../../scripts/commands/cancel.ts'),
  check: () => import('../../scripts/commands/check.ts'),
  console: () => import('../../scripts/commands/console.ts'),
  decline: () => import('../../scripts/commands/decline.ts'),
  events: () => import('../../scripts/commands/events.ts'),
  forget: () => import('../../scripts/commands/forget.ts'),
  import: () => import('../../scripts/commands/import.ts'),
  notices: () => import('../../scripts/commands/notices.ts'),
  inbox: () => import('../../scripts/commands/inbox.ts'),
  mapping: () => import('../../scripts/commands/mapping.ts'),
  pause: () => import('../../scripts/commands/pause.ts'),
  portfolios: () => import('../../scripts/commands/portfolios.ts'),
  reconcile: () => import('../../scripts/commands/reconcile.ts'),
  recover: () => import('../../scripts/commands/recover.ts'),
  report: () => import('../../scripts/commands/report.ts'),
  resolve: () => import('../../scripts/commands/resolve.ts'),
  restore: () => import('../../scripts/commands/restore.ts'),
  resume: () => import('../../scripts/commands/resume.ts'),
  retry: () => import('../../scripts/commands/retry.ts'),
  rule: () => import('../../scripts/commands/rule.ts'),
  run: () => import('../../scripts/commands/run.ts'),
  schedule: () => import('../../scripts/commands/schedule.ts'),
  sessions: () => import('../../scripts/commands/sessions.ts'),
  user: () => import('../../scripts/commands/user.ts'),
  decisions: () => import('../../scripts/commands/decisions.ts'),
  statuses: () => import('../../scripts/commands/statuses.ts'),
};

/** `input` is written to standard input; without it, standard input is closed. */
type CallPlace = { cwd: string; env?: Record<string, string>; input?: string | Buffer };

/**
 * A process has one working directory, one environment and one pair of streams, so a second call waits for the first.
 */
let turn: Promise<unknown> = Promise.resolve();

/**
 * Runs a command to its end in the process of the test, which saves most of a second of processor time. Use it for
 * tests of output and effects. Tests of processes (start and exit, signals, terminals, concurrency) use `startCommand`
 * and `runCommand`, which start real processes.
 */
export function callCommand(args: string[], place: CallPlace): Promise<Ended> {
  const [stdout, stderr] = [makeCapture(), makeCapture()];
  const streams = {
    stdin: Readable.from([Buffer.from(place.input ?? '')]),
    stdout: stdout.stream,
    stderr: stderr.stream,
  };
  return inTurn(args, place, streams).then((status) => ({ status, stdout: stdout.text(), stderr: stderr.text() }));
}

/**
 * The same on a simulated terminal, for tests of questions: output is collected, and lines are typed. `startOnTerminal`
 * has a real terminal with signals and echo.
 */
export function callOnTerminal(args: string[], place: Omit<CallPlace, 'input'>) {
  const terminal = { isTTY: true, ref: () => {}, unref: () => {} };
  const screen = makeCapture();
  const stream = Object.assign(screen.stream, terminal);
  const keys = Object.assign(new PassThrough(), terminal);
  // Without the control characters that clear the line, as a person reads it.
  const shown = () => screen.text().replaceAll('\r', '').replaceAll('\x1b[2K', '');
  const ended = inTurn(args, place, { stdin: keys, stdout: stream, stderr: stream }).then((status) => ({
    status,
    shown: shown(),
  }));
  onTestFinished(async () => {
    keys.end();
    await ended;
  });
  return { shown, ended, press: (line: string) => keys.write(line) };
}

type Streams = { stdin: Readable; stdout: Writable; stderr: Writable };

function inTurn(args: string[], place: CallPlace, streams: Streams): Promise<number> {
  const called = turn.then(() => call(args, place, streams));
  turn = called.catch(() => {});
  return called;
}

async function call(args: string[], { cwd, env = {} }: CallPlace, streams: Streams): Promise<number> {
  const before = { cwd: process.cwd(), env: process.env, exitCode: process.exitCode };
  const putBack = [...STREAMS.map((name) => replaceStream(name, streams[name])), keepSignals()];
  process.chdir(cwd);
  process.env = { PATH: before.env.PATH, HOME: before.env.HOME, ...ownDataHome(cwd), ...env };
  process.exitCode = undefined;
  try {
    await parse(args);
    return Number(process.exitCode ?? 0);
  } finally {
    process.exitCode = before.exitCode;
    process.env = before.env;
    process.chdir(before.cwd);
    for (const part of putBack) part();
  }
}

/** The work of `scripts/limitline.ts`, except what needs a process of its own. */
async function parse(args: string[]): Promise<void> {
  const terminal = makeTerminal({ json: args.includes('--json') });
  const program = new Program('limitline')
    .option('--json')
    .exitOverride()
    .hook('preAction', (_program, command) => {
      beginCommand(command);
      return sayNotices(command.name(), terminal);
    });
  const load = COMMANDS[args[0] ?? ''];
  if (!load) throw new Error(`${args[0]} is a command that only runs in a process of its own`);
  (await load()).register(program, terminal);
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    process.exitCode = 1;
    if (!(error instanceof CommanderError)) sayFault(error, terminal);
  }
}

/** A stream that keeps its output and is no terminal. */
function makeCapture() {
  const pieces: Buffer[] = [];
  const stream = new Writable({
    write(piece: Buffer, _encoding, done) {
      pieces.push(Buffer.from(piece));
      done();
    },
  });
  return { stream, text: () => Buffer.concat(pieces).toString() };
}

/** Replaces a stream of the process until the returned function is called. */
function replaceStream(name: keyof Streams, stream: Readable | Writable): () => void {
  const own = Object.getOwnPropertyDescriptor(process, name) ?? {};
  Object.defineProperty(process, name, { value: stream, configurable: true });
  return () => Object.defineProperty(process, name, own);
}

/**
 * Removes the signal handlers of a command when the returned function is called. A command leaves them, because its
 * process ends.
 */
function keepSignals(): () => void {
  const before = SIGNALS.map((name) => [name, process.listeners(name)] as const);
  return () => {
    for (const [name, listeners] of before) {
      for (const listener of process.listeners(name)) if (!listeners.includes(listener)) process.off(name, listener);
    }
  };
}

const STREAMS = ['stdin', 'stdout', 'stderr'] as const;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The characters of keys. */
export const KEYS = { ctrlC: '\x03', ctrlD: '\x04' } as const;

/**
 * Starts the command line on a real terminal, which `script` of util-linux makes; each Debian has it (bsdutils). Output
 * is collected, and keys are pressed.
 *
 * @param redirected a redirection in shell syntax, such as `2>errors.txt`
 * @param script another script than the command line: `start.ts` is the script of `npm start`
 */
export function startOnTerminal(
  args: string[],
  given: { cwd: string; env?: Record<string, string>; redirected?: string; script?: string },
) {
  const { cwd, env = {}, redirected = '', script = LIMITLINE } = given;
  const command = [process.execPath, script, ...args].map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['--quiet', '--return', '--command', `exec ${command} ${redirected}`, '/dev/null'], {
    cwd,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, SHELL: '/bin/sh', ...COMPILED, ...ownDataHome(cwd), ...env },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  let shown = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    // Without the control characters that clear the line, as a person reads it.
    shown += text.replaceAll('\r', '').replaceAll('\x1b[2K', '');
  });
  const ended = new Promise<{ status: number | null; shown: string }>((resolve) => {
    child.once('close', (status) => resolve({ status, shown }));
  });
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await ended;
  });
  return { shown: () => shown, ended, press: (keys: string) => child.stdin.write(keys) };
}
