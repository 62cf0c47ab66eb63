import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import { makeDigestTable } from '../../../src/portfolio/identity/digest.ts';
import { heldBytes } from '../../support/held-bytes.ts';

const keyOf = (n: number) => hash('sha256', String(n), 'base64url').slice(0, 16);

test('addOnce returns the first line of a request, however often it repeats', () => {
  const lines = makeDigestTable({ bits: 68 });
  expect(lines.addOnce(keyOf(1), 2)).toBeUndefined();
  expect(lines.addOnce(keyOf(2), 3)).toBeUndefined();
  expect(lines.addOnce(keyOf(1), 4)).toBe(2);
  expect(lines.addOnce(keyOf(1), 5)).toBe(2);
});

test('addOnce holds a million lines in 24 MB', async () => {
  const count = 1_000_000;
  const lines = makeDigestTable({ bits: 68 });
  const before = heldBytes();
  for (let n = 0; n < count; n++) {
    if (lines.addOnce(keyOf(n), n + 2) !== undefined) throw new Error(`${n} was taken for an earlier line`);
  }
  // Tables that it outgrew are garbage, and are collected a moment later.
  await expect.poll(() => heldBytes() - before, { interval: 10 }).toBeLessThan(24 * 1024 * 1024);
  for (let n = 0; n < count; n += 997) expect(lines.addOnce(keyOf(n), 1)).toBe(n + 2);
});

test('keys of the same slot are kept apart', () => {
  const lines = makeDigestTable({ bits: 68 });
  // The keys are equal in the bits that choose the slot, and differ in one earlier character.
  expect(lines.addOnce('AAAAAAAAAAAAAAAA', 2)).toBeUndefined();
  expect(lines.addOnce('AAAABAAAAAAAAAAA', 3)).toBeUndefined();
  expect(lines.addOnce('AAAAAAAAAAAAAAAA', 4)).toBe(2);
  expect(lines.addOnce('AAAABAAAAAAAAAAA', 5)).toBe(3);
});
