import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { freeBytesOf, RESERVE_BYTES, roomBytesOf } from '../../src/files/free-bytes.ts';

test('something is left free on a disk, and of a small one no more than a part', async () => {
  const left = async () => (await freeBytesOf(tmpdir())) - (await roomBytesOf(tmpdir()));
  // Others write to the disk, and take away what they wrote: between two looks that may be as much as is left.
  const isKept = (bytes: number) => bytes > 0 && bytes < RESERVE_BYTES + 64 * 1024 * 1024;
  await expect.poll(async () => isKept(await left()), { interval: 5 }).toBe(true);
});
