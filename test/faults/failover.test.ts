import { expect } from 'vitest';
import { tryFailover } from '../support/failover/try-failover.ts';
import { testsBeside } from '../support/tests-beside.ts';

const test = testsBeside();

/** The replicas always lack some of the last writes of the primary. */
// Promise: all-replicas-know-first
test.each([
  ['is killed', false],
  ['hangs, is replaced and wakes up', true],
])('a primary that %s under load, before replicas have its last writes, makes nothing twice', async (_how, wakes) => {
  const { signal } = new AbortController();
  const { madeTwice, unaccounted, done, held } = await tryFailover({ rows: 150, cutOffMs: 300, wakes, signal });
  expect({ madeTwice, unaccounted, ended: done + held }).toEqual({ madeTwice: 0, unaccounted: 0, ended: 150 });
  // Living processes report what became of their calls, so only calls in flight at a cut-off can be in doubt.
  expect(held).toBeLessThanOrEqual(30);
});
