import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { freeBytesOf, RESERVE_BYTES, roomBytesOf } from '../../src/files/free-bytes.ts';

test('something is left free on a disk, and of a small one no more than a part', async () => {
  const left = (await freeBytesOf(tmpdir())) - (await roomBytesOf(tmpdir()));
  // Others write to the disk meanwhile.
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThan(RESERVE_BYTES + 64 * 1024 * 1024);
});
