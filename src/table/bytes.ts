import { open } from 'node:fs/promises';
import { LimitlineError } from '../errors.ts';
import { fileFault } from '../files/disk.ts';

/** A file's bytes in order, chunk by chunk. */
export type ByteSource = {
  /** The next chunk, or null at the end. The next read overwrites it. @throws LimitlineError `FILE`, `STOPPED` */
  read(): Promise<Buffer | null>;
  /** Closes the file. A second call does nothing. */
  close(): Promise<void>;
};

/** The size of a chunk: with this one, system calls cost little beside parsing. With 256 KB, a million lines took 30 MB more memory. */
const CHUNK_BYTES = 64 * 1024;

/**
 * Opens a file or anything else that can be read in order, such as a pipe.
 *
 * @throws LimitlineError `FILE` when it cannot be opened.
 */
export async function openBytes(asked: { path: string; signal?: AbortSignal | undefined }): Promise<ByteSource> {
  const { path, signal } = asked;
  const handle = await open(path, 'r').catch((error: unknown) => {
    throw fileFault(path, 'read', error);
  });
  const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  let closing: Promise<void> | undefined;

  /**
   * Reads into the buffer until it is full or the file ends; returns the number of bytes. A pipe returns little at a time, and small chunks
   * make parsing slow.
   */
  async function fill(): Promise<number> {
    let filled = 0;
    while (filled < CHUNK_BYTES) {
      if (signal?.aborted)
        throw new LimitlineError('STOPPED', `Reading ${path} was given up: the process is stopping.`);
      const { bytesRead } = await handle.read(buffer, filled, CHUNK_BYTES - filled, null);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return filled;
  }

  return {
    async read() {
      try {
        const filled = await fill();
        return filled > 0 ? buffer.subarray(0, filled) : null;
      } catch (error) {
        throw error instanceof LimitlineError ? error : fileFault(path, 'read', error);
      }
    },
    close() {
      closing ??= handle.close();
      return closing;
    },
  };
}
