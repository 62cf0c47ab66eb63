import { expect, onTestFinished, test, vi } from 'vitest';
import { rowProblemOf } from '../../../jobs/steps/row-problem.ts';
import type { RowEnd } from '../../../jobs/steps/step.ts';
import { makeSayingFaults, startRowTally, startSayingMinutes } from '../../../scripts/progress/say-work.ts';
import { AT_LIMIT } from '../../support/paces.ts';
import { WAIT } from '../../support/redis/own-fixture.ts';
import { makeKeptLog } from '../../support/workplace.ts';

/** The end that a step gives a row after an unknown outcome. */
function held(reason: string): RowEnd {
  const request = { what: 'the document status 404.pdf', sent: '{}' };
  return {
    state: 'held',
    step: 'limit',
    problem: rowProblemOf('limit', request, { is: 'unknown', reason, sentMs: 1 }),
  };
}

const refused = (status: number): RowEnd => ({
  state: 'refused',
  step: 'company',
  problem: { step: 'company', message: 'no', status, body: 'Geheim GmbH' },
});

test('refused and held rows are counted by step and status, and logged with one sentence each', () => {
  const { log, lines } = makeKeptLog();
  const tally = startRowTally({ log });
  for (let n = 0; n < 1_000; n += 1) tally.ended(refused(422));
  for (const end of [refused(409), held('status 502: Geheim'), held('status 502: x'), held('no whole answer')]) {
    tally.ended(end);
  }
  tally.ended({ state: 'done', step: 'limit' });
  tally.stop();
  expect(lines).toEqual([
    {
      level: 'warn',
      state: 'refused',
      step: 'company',
      status: 422,
      rows: 1_000,
      msg: '1000 rows refused at the step company, status 422',
    },
    {
      level: 'warn',
      state: 'refused',
      step: 'company',
      status: 409,
      rows: 1,
      msg: '1 row refused at the step company, status 409',
    },
    {
      level: 'warn',
      state: 'held',
      step: 'limit',
      status: 502,
      rows: 2,
      msg: '2 rows held at the step limit, status 502',
    },
    { level: 'warn', state: 'held', step: 'limit', rows: 1, msg: '1 row held at the step limit' },
  ]);
  expect(tally.counts()).toEqual({ refused: 1_001, held: 3, done: 1 });
  tally.stop();
  expect(lines).toHaveLength(4);
});

// Promise: log-each-minute
test('the log has a line for each minute with work, and none without work', async () => {
  const { log, lines } = makeKeptLog();
  const now = { counts: { done: 5 }, calls: 10, waiting: 0, looks: 0 };
  const saying = startSayingMinutes({
    service: { slots: { inFlight: () => 0 }, paceNow: () => AT_LIMIT },
    queues: {
      depth: async () => {
        now.looks += 1;
        return now.waiting;
      },
    },
    counts: () => now.counts,
    callsSent: () => now.calls,
    log,
    everyMs: 5,
  });
  onTestFinished(saying.stop);
  await vi.waitUntil(() => now.looks > 2, WAIT);
  expect(lines).toEqual([]);
  Object.assign(now, { counts: { done: 12, held: 1 }, calls: 24, waiting: 7 });
  await vi.waitUntil(() => lines.length > 1, WAIT);
  expect(lines[0]).toMatchObject({ done: 7, held: 1, refused: 0, skipped: 0, calls: 14, inFlight: 0, waiting: 7 });
  expect(lines[0]?.msg).toMatch(
    /^in \d+ s: 7 done, 1 held; [\d.]+ calls\/s, 0 in flight, 7 jobs waiting; at the service's limit, 98 calls\/s$/,
  );
  // The counts of the first line are not counted again.
  expect(lines[1]).toMatchObject({ done: 0, held: 0, calls: 0, msg: expect.stringContaining('no row ended') });
});

test('a fault that all calls meet is logged once a minute with its count, and another fault at once', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const { log, lines } = makeKeptLog();
  const say = makeSayingFaults(log).meets;
  for (let n = 0; n < 31; n += 1) say(new Error('refused'));
  say(new Error('no token'));
  for (let n = 0; n < 31; n += 1) say(new Error(n % 2 === 0 ? 'refused' : 'no token'));
  vi.advanceTimersByTime(60_000);
  say(new Error('refused'));
  for (let n = 0; n < 31; n += 1) say(new Error(`answered with request ${n}`));
  expect(lines.slice(0, 3)).toMatchObject([
    { level: 'error', reason: 'refused', calls: 1, msg: expect.stringContaining('every row would meet this fault') },
    { reason: 'no token', calls: 31 },
    { reason: 'refused', calls: 32 },
  ]);
  expect(lines).toHaveLength(7);
});

test('the end of a fault is logged once, when a call is accepted that was sent after it', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const { log, lines } = makeKeptLog();
  const faults = makeSayingFaults(log);
  faults.accepted();
  faults.meets(new Error('refused'));
  faults.accepted();
  vi.advanceTimersByTime(4_000);
  for (let n = 0; n < 3; n += 1) faults.accepted();
  faults.meets(new Error('refused'));
  expect(lines).toMatchObject([
    { level: 'error', reason: 'refused' },
    { level: 'info', msg: 'the fault that every row met is over: this process sends again' },
    { level: 'error', reason: 'refused' },
  ]);
});
