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
