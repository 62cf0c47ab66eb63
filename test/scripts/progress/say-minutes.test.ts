import { expect, onTestFinished, test, vi } from 'vitest';
import { startSayingMinutes } from '../../../scripts/progress/say-minutes.ts';
import type { PaceState } from '../../../src/pace/pace-state.ts';
import { makeKeptLog } from '../../support/log-fixture.ts';
import { WAIT } from '../../support/redis/own-fixture.ts';

const atLimit: PaceState = {
  phase: 'hold',
  ratePerS: 98,
  flowPerS: 97,
  isLimiting: true,
  atCeiling: false,
  blocked: undefined,
};

test('each minute the log says what was done in it and what calls wait for, and nothing where there is nothing to do', async () => {
  const { log, lines } = makeKeptLog();
  const now = { counts: { done: 5 }, calls: 10, waiting: 0, looks: 0 };
  const saying = startSayingMinutes({
    service: { slots: { inFlight: () => 0 }, paceNow: () => atLimit },
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
  // What was said is not counted again.
  expect(lines[1]).toMatchObject({ done: 0, held: 0, calls: 0, msg: expect.stringContaining('no row ended') });
});
