import { readdir, rename, rmdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { foldedName } from './names.ts';

/**
 * Where all of an archive lies in one folder, as when a folder was packed and not what is in it: puts what is in it beside
 * it, so that lines may name files with the folder and without. Nothing is done where that would not be clear.
 *
 * @param dir the folder that the archive was unpacked to; nobody else knows of it yet.
 */
export async function liftTopFolder(dir: string): Promise<void> {
  const entries = (await readdir(dir, { withFileTypes: true })).filter(({ name }) => !isLitter(name));
  const [top] = entries;
  if (top === undefined || entries.length > 1 || !top.isDirectory()) return;
  const names = await readdir(join(dir, top.name));
  const taken = new Set((await readdir(dir)).map(foldedName));
  if (names.some((name) => taken.has(foldedName(name)))) return;
  for (const name of names) await rename(join(dir, top.name, name), join(dir, name));
  await rmdir(join(dir, top.name));
  // Names that begin with the folder lead back to where it lies: documents are found through links that stay inside.
  await symlink('.', join(dir, top.name), 'dir');
}

/** What systems leave beside the files without being asked. */
function isLitter(name: string): boolean {
  return name.startsWith('.') || ['thumbs.db', 'desktop.ini'].includes(name.toLowerCase());
}
