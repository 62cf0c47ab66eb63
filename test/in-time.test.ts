import { expect, test } from 'vitest';
import { inTime } from '../src/in-time.ts';

/** Longer than any machine is busy: what is in time stays so. */
const LONG_MS = 60_000;

const never = new Promise<string>(() => {});

test('work in time answers for itself, whether it ends well or fails', async () => {
  expect(await inTime(Promise.resolve('done'), LONG_MS, () => 'late')).toBe('done');
  await expect(inTime(Promise.reject(new Error('full')), LONG_MS, () => 'late')).rejects.toThrow('full');
});

test('work that takes longer is answered for by what the caller says then', async () => {
  expect(await inTime(never, 1, () => 'late')).toBe('late');
  const refused = inTime(never, 1, () => {
    throw new Error('no answer');
  });
  await expect(refused).rejects.toThrow('no answer');
});

test('work that fails when nobody waits any more ends no process', async () => {
  const work = Promise.withResolvers<string>();
  expect(await inTime(work.promise, 1, () => 'late')).toBe('late');
  work.reject(new Error('nobody waits'));
});
