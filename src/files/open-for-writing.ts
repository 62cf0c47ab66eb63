import { readdir, readFile, stat } from 'node:fs/promises';

/** The lowest two bits of the flags of an open file say how it may be used: 0 is for reading alone (fcntl.h). */
const ACCESS_BITS = 3;

/**
 * Whether another process has this file open for writing, as far as the system tells: Linux does (proc(5), fd and fdinfo), of processes
 * that this user may look at. Where it does not, the answer is false.
 *
 * @param inode the file's device and number, as `device:number`
 */
export async function isOpenForWriting(inode: string): Promise<boolean> {
  const processes = (await namesIn('/proc')).filter((name) => /^\d+$/.test(name) && name !== String(process.pid));
  for (const id of processes) {
    for (const fd of await namesIn(`/proc/${id}/fd`)) {
      const found = await stat(`/proc/${id}/fd/${fd}`, { bigint: true }).catch(() => undefined);
      if (!found || `${found.dev}:${found.ino}` !== inode) continue;
      const info = await readFile(`/proc/${id}/fdinfo/${fd}`, 'latin1').catch(() => '');
      if ((Number.parseInt(/^flags:\s*(\d+)/m.exec(info)?.[1] ?? '0', 8) & ACCESS_BITS) !== 0) return true;
    }
  }
  return false;
}

async function namesIn(dir: string): Promise<string[]> {
  return readdir(dir).catch(() => []);
}
