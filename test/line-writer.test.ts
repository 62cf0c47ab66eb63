import { expect, test } from 'vitest';
import { makeLineWriter } from '../src/line-writer.ts';

const fail = (code: string) => Object.assign(new Error(code), { code });

/** A disk with limited room, which can be increased. */
function makeDisk(room: number) {
  const disk = { room, text: '' };
  const write = makeLineWriter(2, (_fd, bytes) => {
    if (disk.room === 0) throw fail('ENOSPC');
    const part = bytes.subarray(0, disk.room);
    disk.room -= part.length;
    disk.text += Buffer.from(part).toString();
    return part.length;
  });
  return { disk, write };
}

test('a line that a full disk refuses is lost, and the next one begins a new line once there is room', () => {
  const { disk, write } = makeDisk(8);
  for (const line of ['first\n', 'second\n', 'third\n']) write(line);
  expect(disk.text).toBe('first\nse');
  disk.room = 100;
  for (const line of ['fourth\n', 'fifth\n']) write(line);
  expect(disk.text).toBe('first\nse\nfourth\nfifth\n');
});

test('after EPIPE nothing more is written', () => {
  let tries = 0;
  const write = makeLineWriter(2, () => {
    tries += 1;
    throw fail('EPIPE');
  });
  for (const line of ['first\n', 'second\n']) write(line);
  expect(tries).toBe(1);
});
