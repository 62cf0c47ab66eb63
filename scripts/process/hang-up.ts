import { readFileSync, readlinkSync } from 'node:fs';

/** SIGHUP is the first of the signals, so it is the lowest bit of the mask. */
const HANG_UP_BIT = 1n;

/** `open(2)`: the lowest two bits of the flags say how a file was opened, and this is "for writing only". */
const ACCESS_MODE = 0o3;
const WRITE_ONLY = 0o1;

/**
 * Whether this process was started by `nohup`, or by a script that was. The signal mask of the process itself does not tell:
 * Node lets every signal act as usual again when it starts, and in each child that it starts, as npx does. What stays is
 *
 * - the command that a shell says it started, in the variable `_` (bash and zsh; others leave it alone),
 * - standard input: where it is a terminal, GNU nohup opens `/dev/null` there, for writing only, as nobody else does,
 * - the mask of the shell script that started us, where `nohup` was put before that,
 * - our own from before Node began, which the shell that `limitline.cjs` begins as passes on.
 */
export function isHangUpIgnored(): boolean {
  return (
    isNohup(process.env._ ?? '') ||
    isUnreadableInput() ||
    [statusOf(process.ppid), `SigIgn: ${process.env.STARTED_IGNORING}`].some(ignoresHangUp)
  );
}

/** Whether a command is nohup, wherever it stands. */
export function isNohup(command: string): boolean {
  return /(?:^|\/)nohup$/.test(command);
}

/** Whether a process ignores SIGHUP, by what `/proc/<pid>/status` says of it (proc(5), `SigIgn`). */
export function ignoresHangUp(status: string): boolean {
  const mask = /^SigIgn:\s*([0-9a-f]+)$/m.exec(status)?.[1];
  return mask !== undefined && (BigInt(`0x${mask}`) & HANG_UP_BIT) !== 0n;
}

function isUnreadableInput(): boolean {
  try {
    if (readlinkSync('/proc/self/fd/0') !== '/dev/null') return false;
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync('/proc/self/fdinfo/0', 'utf8'))?.[1] ?? '0';
    return (Number.parseInt(flags, 8) & ACCESS_MODE) === WRITE_ONLY;
  } catch {
    // There is no /proc, as on macOS, or no standard input at all.
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
