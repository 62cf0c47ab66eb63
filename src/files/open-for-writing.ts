import { readdir, readFile, stat } from 'node:fs/promises';

/** The lowest two bits of the flags of an open file say how it may be used: 0 is for reading alone (fcntl.h). */
const ACCESS_BITS = 3;

/**
 * Which of these files another process has open for writing, as far as the system tells: Linux does (proc(5), fd and fdinfo), of
 * processes that this user may look at. Of any other the answer lacks it.
 *
 * @param inodes the files' devices and numbers, as `device:number`
 */
export async function openForWriting(inodes: ReadonlySet<string>): Promise<Set<string>> {
  const open = new Set<string>();
  const others = (await namesIn('/proc')).filter((name) => /^\d+$/.test(name) && name !== String(process.pid));
  for (const id of inodes.size === 0 ? [] : others) {
    const looks = (await namesIn(`/proc/${id}/fd`)).map(async (fd) => {
      const found = await stat(`/proc/${id}/fd/${fd}`, { bigint: true }).catch(() => undefined);
      const inode = `${found?.dev}:${found?.ino}`;
      if (!inodes.has(inode)) return;
      const info = await readFile(`/proc/${id}/fdinfo/${fd}`, 'latin1').catch(() => '');
      if ((Number.parseInt(/^flags:\s*(\d+)/m.exec(info)?.[1] ?? '0', 8) & ACCESS_BITS) !== 0) open.add(inode);
    });
    await Promise.all(looks);
  }
  return open;
}

async function namesIn(dir: string): Promise<string[]> {
  return readdir(dir).catch(() => []);
}
