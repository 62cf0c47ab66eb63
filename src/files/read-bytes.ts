import { open } from 'node:fs/promises';

/** Reads the bytes of a file from one place to another, or to its end; fewer if the file ends before. @throws the system's error */
export async function readBytes(path: string, from: number, to?: number): Promise<Buffer> {
  const handle = await open(path, 'r');
  try {
    const length = (to ?? (await handle.stat()).size) - from;
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, from);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}
