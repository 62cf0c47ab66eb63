import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/**
 * Opens a file for reading. Never waits for a pipe, and reads no device: a read of either may never end.
 *
 * @throws the system's error where it cannot be opened; one of the same form, with the code `EISDIR` or `ENOTREG`, where it is no file
 */
export async function openRegular(path: string): Promise<FileHandle> {
  // Opened before it is looked at, so that what is looked at is what is read.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = await file.stat();
    if (found.isFile()) return file;
    throw Object.assign(new Error('it is no file'), { code: found.isDirectory() ? 'EISDIR' : 'ENOTREG' });
  } catch (error) {
    await file.close();
    throw error;
  }
}
