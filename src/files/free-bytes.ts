import { statfs } from 'node:fs/promises';

/** Left free on a disk whatever is written for a person: a ledger may be on it, and a full disk stops all that is under way. */
export const RESERVE_BYTES = 512 * 1024 * 1024;

/** Of a small disk, such as a part of the memory, no more than this share is left free. */
const RESERVE_SHARE = 0.1;

/** What this user may still write on the disk of a folder. */
export async function freeBytesOf(dir: string): Promise<number> {
  const { bavail, bsize } = await statfs(dir);
  return bavail * bsize;
}

/** The same less what is left free for others. */
export async function roomBytesOf(dir: string): Promise<number> {
  const { bavail, blocks, bsize } = await statfs(dir);
  return bavail * bsize - Math.min(RESERVE_BYTES, blocks * bsize * RESERVE_SHARE);
}

/** The disk is asked again after so much: it is others' as well. */
const LOOK_EVERY_BYTES = 16 * 1024 * 1024;

/** What is written down of how things stand is smaller, and must be written also on a disk that is nearly full. */
const SMALL_BYTES = 1024 * 1024;

/**
 * Passes on what is written into a folder as long as its disk has room besides what is left free. Where it has none, it fails as a full
 * disk does, and the one who writes removes what there is: a disk that is really full ends the ledger on it.
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
