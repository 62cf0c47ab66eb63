import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { makeSilentLog } from '../../src/log.ts';
import { makePace } from '../../src/pace/pace.ts';
import type { RateLimitSettings } from '../../src/sandbox/fault-settings.ts';
import { makeBucket, rateLimitHeaders } from '../../src/sandbox/rate-limit.ts';
import { connectRedis, freshPrefix } from '../support/ledger.ts';

const never = new AbortController().signal;

/** Processes with one pace send so many calls into one bucket of the stand-in's, and hear what it says. */
async function sendInto(settings: RateLimitSettings, calls: number, { processes = 2, callers = 8 } = {}) {
  const key = freshPrefix();
  const bucket = makeBucket();
  let passed = 0;
  let refused = 0;
  const paces = Array.from({ length: processes }, () =>
    makePace({ connection: connectRedis(), key, ceilingPerS: undefined, log: makeSilentLog() }),
  );
  const send = async (pace: (typeof paces)[number]): Promise<void> => {
    while (passed < calls) {
      const turn = await pace.take(never);
      if (turn.is === 'later') {
        await sleep(turn.waitMs);
        continue;
      }
      const passage = bucket.pass(settings, performance.now());
      const headers = rateLimitHeaders(settings, passage, Date.now());
      if (passage.allowed) {
        passed += 1;
        await pace.answered(headers);
      } else {
        refused += 1;
        await pace.block({ why: 'too fast', because: 'limit', headers, episode: turn.episode });
      }
    }
  };
  await Promise.all(paces.flatMap((pace) => Array.from({ length: callers }, () => send(pace))));
  return { refused, ratePerS: paces[0]?.state().ratePerS ?? 0 };
}

test.each<[string, RateLimitSettings]>([
  ['that says nothing', { perS: 100, burst: 20, headers: 'none' }],
  ['that says what is left', { perS: 100, burst: 20, headers: 'x-ratelimit-iso' }],
  ['that states its rate', { perS: 100, burst: 20, headers: 'ratelimit' }],
  ['with a burst of a whole second', { perS: 100, burst: 100, headers: 'none' }],
])('the rate comes near the limit of a service %s, and few calls are refused', async (_name, settings) => {
  const { refused, ratePerS } = await sendInto(settings, 500);
  // Tried upward it may be above for a moment; a machine that stands still makes it lower.
  expect(ratePerS).toBeGreaterThan(60);
  expect(ratePerS).toBeLessThan(160);
  expect(refused).toBeLessThan(50);
});

test('a limit of two calls a second is found from a few calls', async () => {
  const { refused, ratePerS } = await sendInto({ perS: 2, burst: 1, headers: 'none' }, 16, {
    processes: 1,
    callers: 2,
  });
  expect(ratePerS).toBeLessThan(4);
  expect(refused).toBeLessThan(24);
});
