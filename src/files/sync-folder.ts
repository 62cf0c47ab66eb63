import { open } from 'node:fs/promises';

/** Makes new and renamed entries of a folder durable on the disk. @throws the system's error */
export async function syncFolder(dir: string): Promise<void> {
  const folder = await open(dir, 'r');
  await folder.sync().finally(() => folder.close());
}
