import { tmpdir } from 'node:os';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { freeBytesOf, keepRoom, RESERVE_BYTES, roomBytesOf, systemCode } from '../../src/files/disk.ts';

// Promise: leaves-disk-room
test('roomBytesOf leaves a part of the disk free', async () => {
  const left = async () => (await freeBytesOf(tmpdir())) - (await roomBytesOf(tmpdir()));
  // Other processes write and delete meanwhile: between two looks that may be as much as the reserve.
  const isKept = (bytes: number) => bytes > 0 && bytes < RESERVE_BYTES + 64 * 1024 * 1024;
  await expect.poll(async () => isKept(await left()), { interval: 5 }).toBe(true);
});

describe('a stream that keeps room on the disk', () => {
  /** Writes pieces of a megabyte while `room` gives the free bytes at each look, and returns how many passed. */
  async function passed(pieces: number, room: number[]): Promise<{ through: number; looks: number; code: string }> {
    let [through, looks] = [0, 0];
    const write = keepRoom(tmpdir(), async () => {
      looks += 1;
      return room[looks - 1] ?? 0;
    });
    try {
      async function* all() {
        for (let piece = 0; piece < pieces; piece += 1) yield Buffer.alloc(1024 * 1024);
      }
      for await (const _chunk of write(all())) through += 1;
      return { through, looks, code: '' };
    } catch (error) {
      return { through, looks, code: systemCode(error) };
    }
  }

  // Promise: leaves-disk-room
  test('passes data as long as there is room beside the reserve', async () => {
    expect(await passed(40, [1e9, 1e9, 1e9])).toEqual({ through: 40, looks: 3, code: '' });
    expect(await passed(40, [1e9, 0])).toEqual({ through: 15, looks: 2, code: 'ENOSPC' });
    expect(await passed(40, [0])).toEqual({ through: 0, looks: 1, code: 'ENOSPC' });
  });

  test('passes small state files even without room', async () => {
    const write = keepRoom(tmpdir(), async () => 0);
    const chunks = [];
    for await (const chunk of write(Readable.from([Buffer.from('{}')]))) chunks.push(chunk);
    expect(chunks).toHaveLength(1);
  });
});
