import type { Stats } from 'node:fs';
import { cp, link, lstat, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { systemCode } from '../../src/files/file-fault.ts';

/** `lstat`; nothing where the path does not exist. */
export async function statOf(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error))) return undefined;
    throw error;
  }
}

/** Changes when somebody writes to the file. */
export const changeOf = ({ size, mtimeMs }: Stats): string => `${size}:${mtimeMs}`;

/** Renames a file or folder; answers false where it is gone. */
export async function moved(from: string | Buffer, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Moves a file or folder, also to another disk: a complete, synced copy gets the name, then the original goes. */
export async function moveOver(from: string, to: string): Promise<void> {
  try {
    await moved(from, to);
  } catch (error) {
    if (systemCode(error) !== 'EXDEV') throw error;
    if (!(await statOf(from))) return;
    const draft = join(dirname(to), `.${basename(to)}.part`);
    await rm(draft, { recursive: true, force: true });
    await cp(from, draft, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
    if ((await statOf(draft))?.isFile()) await sync(draft);
    await rename(draft, to).catch((fault) => {
      // An existing folder is this one: a killed process had copied it and did not remove the original.
      if (!['ENOTEMPTY', 'EEXIST'].includes(systemCode(fault))) throw fault;
    });
    await Promise.all([draft, from].map((path) => rm(path, { recursive: true, force: true })));
  }
}

/** Moves a file to a free name; answers false where it is taken. Without hard links, a file that appears just then is lost. */
export async function moveNew(from: string, to: string): Promise<boolean> {
  const isLinked = (await link(from, to).catch(() => false)) !== false;
  if (isLinked) await rm(from, { force: true });
  else if (await statOf(to)) return false;
  else await moveOver(from, to);
  return true;
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  await handle.sync().finally(() => handle.close());
}
