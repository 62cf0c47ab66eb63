import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import { makeRequestLines } from '../../../src/portfolio/lines/duplicates.ts';
import { heldBytes } from '../../support/held-bytes.ts';

const keyOf = (n: number) => hash('sha256', String(n), 'base64url').slice(0, 16);

test('answers the first line of a key, however often it comes back', () => {
  const lines = makeRequestLines();
  expect(lines.earlier(keyOf(1), 2)).toBeNull();
  expect(lines.earlier(keyOf(2), 3)).toBeNull();
  expect(lines.earlier(keyOf(1), 4)).toBe(2);
  expect(lines.earlier(keyOf(1), 5)).toBe(2);
});

test('knows every line of a million, in 24 MB', async () => {
  const count = 1_000_000;
  const lines = makeRequestLines();
  const before = heldBytes();
  for (let n = 0; n < count; n++) {
    if (lines.earlier(keyOf(n), n + 2) !== null) throw new Error(`${n} was taken for an earlier line`);
  }
  // What it left behind as it grew is nobody's any more, and some of it is swept a moment later.
  await expect.poll(() => heldBytes() - before, { interval: 10 }).toBeLessThan(24 * 1024 * 1024);
  for (let n = 0; n < count; n += 997) expect(lines.earlier(keyOf(n), 1)).toBe(n + 2);
});

test('tells keys apart that end in the same slot', () => {
  const lines = makeRequestLines();
  // Equal in the bits that choose the slot, different in the first character.
  expect(lines.earlier('AAAAAAAAAAAAAAAA', 2)).toBeNull();
  expect(lines.earlier('BAAAAAAAAAAAAAAA', 3)).toBeNull();
  expect(lines.earlier('AAAAAAAAAAAAAAAA', 4)).toBe(2);
  expect(lines.earlier('BAAAAAAAAAAAAAAA', 5)).toBe(3);
});
