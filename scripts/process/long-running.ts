import { readFileSync, readlinkSync } from 'node:fs';
import type { Command } from 'commander';
import { accountOf, readSettings, type Settings } from '../../src/config.ts';
import { messageOf } from '../../src/errors.ts';
import { type Log, makeLog } from '../../src/log.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Signals that end a command. A closed terminal sends SIGHUP, often more than once. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
export type EndSignal = (typeof SIGNALS)[number];

/** The shell's exit status for SIGINT: 128 and the signal's number. */
const KILLED_STATUS = 130;

/** What a command that sends says when a second signal ends it. */
const CUT_OFF =
  'stopped at once: calls under way were cut off. To go on, run the same command again; rows whose company or limit was under way will be held.';

/** Says that a second signal ends a command that sends, with `--json` on standard output, too, where no answer stands yet. */
export function sayCutOff(terminal: Pick<Terminal, 'json' | 'say' | 'print' | 'hasPrinted'>): void {
  terminal.say(`limitline: ${CUT_OFF}`);
  if (terminal.json && !terminal.hasPrinted()) terminal.print('', { error: CUT_OFF, status: KILLED_STATUS });
}

/**
 * How long after the first signal a second one counts as deliberate, in ms. One Ctrl-C may arrive twice within milliseconds: npm or a shell
 * passes it on, and `timeout` signals both group and child. A person who repeats it has read the first reaction, which takes longer.
 */
const DELIBERATE_AFTER_MS = 2_000;

/** What a signal asks for: to end properly, to end at once, or nothing. */
type SignalEffect = 'end' | 'end at once' | 'nothing new';

/**
 * Makes the rule for signals. The first signal ends the command properly. After that, only a repeated SIGINT or SIGTERM counts, two seconds
 * later or more: a closing terminal sends several signals of several kinds, and none of them means that calls in flight are to be cut off.
 */
export function makeSignalRule(): (name: EndSignal, atMs: number) => SignalEffect {
  const firstAtMs = new Map<EndSignal, number>();
  return (name, atMs) => {
    const first = firstAtMs.get(name);
    if (first === undefined) {
      firstAtMs.set(name, atMs);
      return firstAtMs.size === 1 ? 'end' : 'nothing new';
    }
    return name !== 'SIGHUP' && atMs - first >= DELIBERATE_AFTER_MS ? 'end at once' : 'nothing new';
  };
}

/**
 * Resolves at the first signal, so that the command can end properly. A deliberate second one exits at once, see {@link
 * makeSignalRule}, after `sayAtOnce`. Ignores SIGHUP under `nohup`. `forget` stops listening.
 *
 * @param sayAtOnce must not wait for anything
 */
export function waitForSignal(sayAtOnce = () => {}): { signal: Promise<EndSignal>; forget: () => void } {
  const effectOf = makeSignalRule();
  const hangUpIgnored = isHangUpIgnored();
  let resolveSignal: (name: EndSignal) => void;
  const signal = new Promise<EndSignal>((resolve) => {
    resolveSignal = resolve;
  });
  const onSignal = (name: NodeJS.Signals): void => {
    if (!isEndSignal(name) || (name === 'SIGHUP' && hangUpIgnored)) return;
    const effect = effectOf(name, performance.now());
    if (effect === 'end at once') {
      try {
        sayAtOnce();
      } finally {
        process.exit(KILLED_STATUS);
      }
    }
    if (effect === 'end') resolveSignal(name);
  };
  for (const name of SIGNALS) process.on(name, onSignal);
  return {
    signal,
    forget: () => {
      for (const name of SIGNALS) process.off(name, onSignal);
    },
  };
}

/** Aborts work at the first signal, see {@link waitForSignal}. @param reasonOf the reason of the abort */
export function abortOnSignal(reasonOf = (name: EndSignal): Error => new Error(`${name} came`)): {
  signal: AbortSignal;
  forget: () => void;
} {
  const { signal, forget } = waitForSignal();
  const ending = new AbortController();
  void signal.then((name) => ending.abort(reasonOf(name)));
  return { signal: ending.signal, forget };
}

/** An abort signal for what can only be stopped by one. */
export function abortedBy(signal: Promise<EndSignal>): AbortSignal {
  const ending = new AbortController();
  void signal.then(() => ending.abort());
  return ending.signal;
}

/** SIGHUP is signal 1, the lowest bit of the mask. */
const HANG_UP_BIT = 1n;

/** The mask of the access mode in the flags of `open(2)`, and the access mode for writing only. */
const ACCESS_MODE = 0o3;
const WRITE_ONLY = 0o1;

/**
 * Whether this process was started by `nohup`, directly or in a script. Its own signal mask does not tell, because Node resets
 * it at the start and in each child, such as npx. These traces are left:
 *
 * - the command that a shell says it started, in the variable `_` (bash and zsh),
 * - standard input: GNU nohup replaces a terminal by `/dev/null`, opened write-only, as nobody else does,
 * - the mask of the shell script that started us, if `nohup` started that,
 * - our own mask before Node began, passed on by the shell part of `limitline.cjs`.
 */
export function isHangUpIgnored(): boolean {
  return (
    isNohup(process.env._ ?? '') ||
    isUnreadableInput() ||
    [statusOf(process.ppid), `SigIgn: ${process.env.STARTED_IGNORING}`].some(ignoresHangUp)
  );
}

/** Whether a command is nohup, at any path. */
export function isNohup(command: string): boolean {
  return /(?:^|\/)nohup$/.test(command);
}

/** Whether a process ignores SIGHUP, by its `/proc/<pid>/status` (proc(5), `SigIgn`). */
export function ignoresHangUp(status: string): boolean {
  const mask = /^SigIgn:\s*([0-9a-f]+)$/m.exec(status)?.[1];
  return mask !== undefined && (BigInt(`0x${mask}`) & HANG_UP_BIT) !== 0n;
}

function isEndSignal(name: string): name is EndSignal {
  return SIGNALS.some((each) => each === name);
}

function isUnreadableInput(): boolean {
  try {
    if (readlinkSync('/proc/self/fd/0') !== '/dev/null') return false;
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync('/proc/self/fdinfo/0', 'utf8'))?.[1] ?? '0';
    return (Number.parseInt(flags, 8) & ACCESS_MODE) === WRITE_ONLY;
  } catch {
    // No /proc, as on macOS, or no standard input.
    return false;
  }
}

function statusOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return '';
  }
}

/**
 * Makes everything on standard error a log entry, so that a log collector can parse each line: messages, the final fault,
 * Node's warnings, and what libraries print on the console.
 */
export function speakThroughLog(terminal: Terminal, log: Log): void {
  terminal.sayTo(log);
  process.removeAllListeners('warning').on('warning', (warning: Error & { code?: string }) => {
    const { name, code } = warning;
    log.warn({ type: name, ...(code === undefined ? {} : { code }) }, messageOf(warning));
  });
  for (const level of ['error', 'warn', 'info', 'debug'] as const) {
    console[level] = (...args: unknown[]) => log[level](textOf(args));
  }
  console.log = console.info;
}

/** Reads the settings, and makes the log by them through which the command speaks from now on. */
export function speakByLog(terminal: Terminal): { settings: Settings; log: Log } {
  const settings = readSettings();
  const log = makeLog({ level: settings.LOG_LEVEL, account: accountOf(settings) });
  speakThroughLog(terminal, log);
  return { settings, log };
}

/** Makes faults of the command line log entries, too, unless standard error is a terminal. */
export function logUsageFaults(command: Command): Command {
  if (process.stderr.isTTY) return command;
  return command.configureOutput({
    outputError: (text) => makeLog({ level: 'fatal' }).fatal(text.replace(/^error: /, '').trim()),
    // After a fault, only where help is found.
    writeErr: () => {},
  });
}

/** Texts, numbers and messages of errors. Leaves out all else, since it may contain personal data. */
function textOf(args: unknown[]): string {
  return args
    .filter((arg) => arg instanceof Error || ['string', 'number'].includes(typeof arg))
    .map(messageOf)
    .join(' ');
}
