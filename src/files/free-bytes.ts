import { statfs } from 'node:fs/promises';

/** Bytes that stay free on the disk when files are written for people: the ledger may be on the same disk, and a full disk stops it. */
export const RESERVE_BYTES = 512 * 1024 * 1024;

/** The share of a small disk, such as one in memory, that stays free; {@link RESERVE_BYTES} would be too much of it. */
const RESERVE_SHARE = 0.1;

/** The bytes that this user may still write on the folder's disk. */
export async function freeBytesOf(dir: string): Promise<number> {
  const { bavail, bsize } = await statfs(dir);
  return bavail * bsize;
}

/** The bytes that this user may write on the folder's disk without touching the reserve. */
export async function roomBytesOf(dir: string): Promise<number> {
  const { bavail, blocks, bsize } = await statfs(dir);
  return bavail * bsize - Math.min(RESERVE_BYTES, blocks * bsize * RESERVE_SHARE);
}

/** The disk's free space is read again after this many written bytes, because other programs write, too. */
const LOOK_EVERY_BYTES = 16 * 1024 * 1024;

/** Bytes of a file up to which the free space is not checked: small records of state must be written even on a nearly full disk. */
const SMALL_BYTES = 1024 * 1024;

/**
 * Passes bytes on to a file in a folder while its disk has room beyond the reserve. Otherwise it fails as a full disk
 * does, and the writer removes its partial file. A disk that is really full would stop a ledger on it.
 */
export function keepRoom(dir: string, room: (dir: string) => Promise<number> = roomBytesOf) {
  return async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let unseen = LOOK_EVERY_BYTES - SMALL_BYTES;
    for await (const chunk of chunks) {
      unseen += chunk.length;
      if (unseen >= LOOK_EVERY_BYTES) {
        unseen = chunk.length;
        if ((await room(dir)) < chunk.length) {
          throw Object.assign(new Error('the rest of the disk is left free'), { code: 'ENOSPC' });
        }
      }
      yield chunk;
    }
  };
}
