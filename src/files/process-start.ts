import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * When a process started, in a text that no other process of that number has: numbers are used again, soon so in
 * containers. Undefined where there is no such process, or it has ended and was only not waited for.
 */
export function startOf(pid: number): string | undefined {
  return process.platform === 'linux' ? startByProc(pid) : startByPs(pid);
}

/** A process that ended and was not waited for: nothing is its own any more. In containers nobody may ever wait for it. */
const ENDED = /^[ZX]/;

/** proc(5): behind the name in brackets, the state is the first field, and the start in ticks since boot the 20th. */
function startByProc(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return ENDED.test(fields[0] ?? '') ? undefined : `${bootId()}-${fields[19]}`;
  } catch {
    return undefined;
  }
}

/** Containers start their processes at much the same tick after each boot, so ticks alone would be mistaken. */
function bootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').slice(0, 8);
}

function startByPs(pid: number): string | undefined {
  try {
    const options = { encoding: 'utf8', env: { LC_ALL: 'C', PATH: process.env.PATH }, stdio: 'pipe' } as const;
    const [state = '', ...started] = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], options)
      .trim()
      .split(/\s+/);
    return ENDED.test(state) ? undefined : started.join('-');
  } catch {
    return undefined;
  }
}
