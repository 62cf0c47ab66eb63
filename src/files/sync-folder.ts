import { open } from 'node:fs/promises';

/** Makes sure that what was put into a folder, or renamed there, is on the disk. @throws the system's error */
export async function syncFolder(dir: string): Promise<void> {
  const folder = await open(dir, 'r');
  await folder.sync().finally(() => folder.close());
}
