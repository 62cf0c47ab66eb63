import { readFileSync, readlinkSync } from 'node:fs';

/** SIGHUP is signal 1, the lowest bit of the mask. */
const HANG_UP_BIT = 1n;

/** `open(2)`: the lowest two bits of the flags are the access mode; this is write-only. */
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
