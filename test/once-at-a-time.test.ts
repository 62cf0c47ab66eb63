import { expect, test, vi } from 'vitest';
import { onDemand, sharedFor } from '../src/once-at-a-time.ts';

const makeDesk = () => {
  const notes: string[] = [];
  return {
    async add(note: string) {
      notes.push(note);
      return notes.length;
    },
    drawer: {
      async read(): Promise<readonly string[]> {
        return notes;
      },
    },
  };
};

test('an on-demand object is loaded once, at its first call', async () => {
  const load = vi.fn(async () => makeDesk());
  const desk = onDemand(load);
  const { drawer } = desk;
  expect(await Promise.resolve(desk)).toBe(desk);
  expect(load).not.toHaveBeenCalled();
  expect(await Promise.all([desk.add('one'), desk.add('two')])).toEqual([1, 2]);
  expect(await drawer.read()).toEqual(['one', 'two']);
  expect(load).toHaveBeenCalledTimes(1);
});

test('an object that cannot be loaded fails each call', async () => {
  const desk = onDemand(async (): Promise<ReturnType<typeof makeDesk>> => {
    throw new Error('gone');
  });
  await expect(desk.add('one')).rejects.toThrow('gone');
  await expect(desk.drawer.read()).rejects.toThrow('gone');
});

test('one read serves all callers with the same key for a while, unless it fails', async () => {
  let reads = 0;
  const read = async (key: string) => {
    reads += 1;
    if (key === 'bad') throw new Error('gone');
    return `${key} ${reads}`;
  };
  const shared = sharedFor(60_000, read);
  expect(await Promise.all([shared('a'), shared('a'), shared('b')])).toEqual(['a 1', 'a 1', 'b 2']);
  expect(await shared('a')).toBe('a 1');
  await expect(shared('bad')).rejects.toThrow('gone');
  await expect(shared('bad')).rejects.toThrow('gone');
  expect(reads).toBe(4);
  const fresh = sharedFor(0, read);
  expect([await fresh('c'), await fresh('c')]).toEqual(['c 5', 'c 6']);
});
