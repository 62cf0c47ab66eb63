import { expect, test } from 'vitest';
import { tryFailover } from '../support/failover/try-failover.ts';

/** The replicas always lack some of what the primary did last. */
// Promise: all-replicas-know-first
test.each([
  ['is killed', false],
  ['hangs, is replaced and wakes up', true],
])('a primary that %s under load, with its last writes on no replica, makes nothing twice', async (_how, wakes) => {
  const { signal } = new AbortController();
  const { madeTwice, unaccounted, done, held } = await tryFailover({ rows: 150, cutOffMs: 300, wakes, signal });
  expect({ madeTwice, unaccounted, ended: done + held }).toEqual({ madeTwice: 0, unaccounted: 0, ended: 150 });
  // Processes that live say what became of their calls, so only what was in flight when one was cut off can be in doubt.
  expect(held).toBeLessThanOrEqual(30);
});
