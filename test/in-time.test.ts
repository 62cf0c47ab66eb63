import { expect, test, vi } from 'vitest';
import { inTime } from '../src/in-time.ts';

/** Longer than any machine is busy. */
const LONG_MS = 60_000;

const never = new Promise<string>(() => {});

test('inTime passes on the result or error of work that ends in time', async () => {
  expect(await inTime(Promise.resolve('done'), LONG_MS, () => 'late')).toBe('done');
  await expect(inTime(Promise.reject(new Error('full')), LONG_MS, () => 'late')).rejects.toThrow('full');
});

test('inTime returns or throws what the caller gives for work that is late', async () => {
  expect(await inTime(never, 1, () => 'late')).toBe('late');
  const refused = inTime(never, 1, () => {
    throw new Error('no answer');
  });
  await expect(refused).rejects.toThrow('no answer');
});

test('a late failure of abandoned work does not end the process', async () => {
  const work = Promise.withResolvers<string>();
  expect(await inTime(work.promise, 1, () => 'late')).toBe('late');
  work.reject(new Error('nobody waits'));
});

test('a limit that is over before it begins is late, and Node warns of nothing', async () => {
  const warned = vi.spyOn(process, 'emitWarning');
  expect(await inTime(never, -8.5, () => 'late')).toBe('late');
  expect(warned).not.toHaveBeenCalled();
  warned.mockRestore();
});
