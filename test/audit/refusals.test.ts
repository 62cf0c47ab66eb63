import { expect, test, vi } from 'vitest';
import type { AuditNote } from '../../src/audit/audit.ts';
import { makeRefusals } from '../../src/audit/refusals.ts';
import { makeSilentLog } from '../../src/log.ts';
import { openTrails } from '../support/audit.ts';

const refusedFrom = (from: string): AuditNote => ({ by: 'admin', what: 'sign-in refused', from });

// Promise: every-refusal-counted
test('the first ten refusals of an address have entries, and the others are counted in one entry', async () => {
  const { process } = await openTrails();
  const trail = process();
  for (let number = 0; number < 5_000; number += 1) void trail.refusal(refusedFrom('203.0.113.7'));
  await trail.close();
  const { entries } = await trail.read.page({ count: 100, walk: 100 });
  expect(entries.filter(({ what }) => what === 'sign-in refused')).toHaveLength(10);
  expect(entries.find(({ what }) => what === 'refusals counted')).toMatchObject({
    by: '',
    from: '203.0.113.7',
    facts: { count: 4_990, what: { 'sign-in refused': 4_990 }, from: { '203.0.113.7': 4_990 } },
  });
});

// Promise: every-refusal-counted
test('of refusals from many addresses the first 100 have entries, and the count names 20 of the addresses', async () => {
  const { process } = await openTrails();
  const trail = process();
  for (let number = 0; number < 3_000; number += 1)
    void trail.refusal(refusedFrom(`10.1.${number >> 8}.${number & 255}`));
  for (let number = 0; number < 50; number += 1) void trail.refusal(refusedFrom('203.0.113.7'));
  await trail.close();
  const { entries } = await trail.read.page({ count: 1_000, walk: 1_000 });
  expect(entries.filter(({ what }) => what === 'sign-in refused')).toHaveLength(100);
  const { facts, from } = entries.find(({ what }) => what === 'refusals counted') ?? {};
  expect(facts?.count).toBe(2_950);
  expect(from).toBe('1000 or more addresses');
  expect(Object.keys(facts?.from ?? {})).toHaveLength(20);
});

// Promise: every-refusal-counted
test('the count is written after a minute, and kept for the next one while Redis is away', async () => {
  vi.useFakeTimers();
  try {
    const written: AuditNote[] = [];
    let isAway = false;
    const note = async (noted: AuditNote) => {
      if (isAway) throw new Error('Redis is away');
      written.push(noted);
    };
    const { refusal } = makeRefusals({ note, log: makeSilentLog() });
    isAway = true;
    await refusal(refusedFrom('a'));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(written).toEqual([]);
    isAway = false;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(written).toMatchObject([{ what: 'refusals counted', facts: { count: 1, from: { a: 1 } } }]);
    // In a new minute the first refusals have entries again.
    await refusal(refusedFrom('a'));
    expect(written.at(-1)).toEqual(refusedFrom('a'));
    await vi.advanceTimersByTimeAsync(600_000);
    expect(written).toHaveLength(2);
  } finally {
    vi.useRealTimers();
  }
});
