import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { openItems } from '../../../../jobs/nightly/report/items-file.ts';
import { foundItem } from '../../../support/found-items.ts';

test('a disk that is full in the middle keeps nobody from going on, and is told of at the end', async () => {
  let bytes = 0;
  const to = new Writable({
    highWaterMark: 1,
    write(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      setImmediate(() => done(bytes > 200_000 ? new Error('the disk is full') : null));
    },
  });
  const items = openItems(to);
  for (let line = 1; line <= 5_000; line += 1) await items.add(foundItem({ line }));
  expect(bytes).toBeGreaterThan(200_000);
  expect(bytes).toBeLessThan(300_000);
  await expect(items.end()).rejects.toThrow('the disk is full');
});

test('whoever finds things waits while the disk is behind', async () => {
  const writes: (() => void)[] = [];
  const to = new Writable({ highWaterMark: 1, write: (_chunk, _encoding, done) => void writes.push(done) });
  const items = openItems(to);
  let waits: Promise<void> | undefined;
  for (let line = 1; waits === undefined; line += 1) waits = items.add(foundItem({ line })) ?? undefined;
  let isOver = false;
  const over = waits.then(() => {
    isOver = true;
  });
  await new Promise(setImmediate);
  expect([isOver, writes.length]).toEqual([false, 1]);
  writes[0]?.();
  await over;
  const ended = items.end();
  while (writes.length < 2) await new Promise(setImmediate);
  writes[1]?.();
  await ended;
});
