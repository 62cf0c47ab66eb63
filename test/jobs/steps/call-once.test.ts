import { test as alone, describe, expect } from 'vitest';
import { testsBeside } from '../../support/tests-beside.ts';
import { buyerLines, openWorkplace } from '../../support/workplace.ts';

const test = testsBeside();

describe('an answer other than success', () => {
  test('a refusal is stored with its status and words, and importing the line again sends the row again', async () => {
    const { work, standIn, settled, context, ...place } = await openWorkplace({
      faults: { rules: [{ on: 'limit', match: 'HRB 2', fault: 'status', status: 422, body: 'too much', times: 1 }] },
    });
    await place.import(buyerLines(3));
    await work();
    expect((await settled()).states).toMatchObject({ done: 2, refused: 1 });
    const [refused] = await context.rows.inState('q4', 'refused', { count: 1 });
    const [result] = await context.rows.read(refused ? [refused.row] : []);
    expect(result).toMatchObject({ line: 3, step: 'limit', problem: { status: 422, body: 'too much' } });
    await place.import(buyerLines(3));
    expect((await settled()).states).toMatchObject({ done: 3, refused: 0 });
    expect(standIn.counts().made).toMatchObject({ company: 3, limit: 3 });
  });

  test.each([
    ['429', { on: 'company', fault: 'status', status: 429, times: 4 }],
    ['503 of SERVICE_NOT_MADE', { on: 'limit', fault: 'status', status: 503, times: 3 }],
    [
      '429 with Retry-After',
      { on: 'company', fault: 'status', status: 429, headers: { 'retry-after': '1' }, times: 3 },
    ],
  ] as const)('after %s no row fails, and all calls wait', async (_name, rule) => {
    const { work, standIn, settled, ...place } = await openWorkplace({
      faults: { rules: [rule] },
      env: { SERVICE_NOT_MADE: '503' },
    });
    await place.import(buyerLines(10));
    await work();
    const report = await settled();
    expect(report.states.done).toBe(10);
    expect(report.calls.throttled).toBeGreaterThan(0);
    expect(standIn.madeTwice()).toEqual([]);
  });

  test.each([422, 500, 503])('Retry-After is respected in an answer with status %s', async (status) => {
    const rule = { on: 'company', fault: 'status', status, headers: { 'retry-after': '4' }, times: 1 } as const;
    const { work, settled, ...place } = await openWorkplace({
      faults: { rules: [rule] },
      env: { SERVICE_CONCURRENCY: '1' },
    });
    await place.import(buyerLines(2));
    await work();
    const { states, started, finished } = await settled();
    expect(states).toMatchObject(status === 422 ? { refused: 1, done: 1 } : { held: 1, done: 1 });
    expect(Date.parse(finished ?? '') - Date.parse(started ?? '')).toBeGreaterThanOrEqual(4_000);
  });

  test('an outage fails no row, and calls resume after it', async () => {
    const { work, standIn, settled, context, ...place } = await openWorkplace();
    await standIn.setFaults({ outage: { how: 'refuse' } });
    await place.import(buyerLines(10));
    await work();
    await expect.poll(() => context.ledger.hget(context.keys.pace, 'because')).toBe('outage');
    await standIn.setFaults({ outage: null });
    expect((await settled()).states.done).toBe(10);
  });
});

describe('the rate of SERVICE_RATE_PER_S', () => {
  alone('is kept in every second by several workers together', async () => {
    const { work, standIn, settled, ...place } = await openWorkplace({ env: { SERVICE_RATE_PER_S: '40' } });
    await place.import(buyerLines(50));
    await Promise.all([work(), work(), work()]);
    expect((await settled()).states.done).toBe(50);
    expect(standIn.maxPerSecond()).toBeLessThanOrEqual(40);
  });
});
