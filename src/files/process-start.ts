import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * A text for when a process started. It tells apart processes with the same id: ids are reused, in containers soon.
 * Undefined if there is no such process, or it is a zombie.
 */
export function startOf(pid: number): string | undefined {
  return process.platform === 'linux' ? startByProc(pid) : startByPs(pid);
}

/** States of a process that has ended but was not reaped. In containers, nobody may ever reap it. */
const ENDED = /^[ZX]/;

/** proc(5): after the name in brackets, field 1 is the state and field 20 the start in ticks since boot. */
function startByProc(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return ENDED.test(fields[0] ?? '') ? undefined : `${bootId()}-${fields[19]}`;
  } catch {
    return undefined;
  }
}

/** The boot id is needed, because containers start processes at nearly the same tick after each boot. */
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
