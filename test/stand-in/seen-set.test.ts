import { expect, test } from 'vitest';
import { makeSeenSet } from '../../src/stand-in/seen-set.ts';

test('each of a hundred thousand texts is known the second time, and none the first', () => {
  const seen = makeSeenSet();
  const texts = Array.from({ length: 100_000 }, (_, index) => `DE${index} / 5000`);
  expect(texts.filter((text) => seen.addSeen(text))).toEqual([]);
  expect(texts.filter((text) => !seen.addSeen(text))).toEqual([]);
  seen.clear();
  expect(seen.addSeen('DE1 / 5000')).toBe(false);
});
