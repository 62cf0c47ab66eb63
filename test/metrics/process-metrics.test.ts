import { expect, test } from 'vitest';
import { makeSilentLog } from '../../src/log.ts';
import { blockedNow } from '../../src/metrics/process-metrics.ts';
import { makePace } from '../../src/pace/pace.ts';
import type { PaceState } from '../../src/pace/pace-words.ts';
import { connectRedis, freshPrefix } from '../support/ledger.ts';

/** The state of the pace after a wait with these reasons. */
async function stateAfter(block: Partial<Parameters<ReturnType<typeof makePace>['block']>[0]>): Promise<PaceState> {
  const key = `{${freshPrefix()}}:pace`;
  const pace = makePace({ connection: connectRedis(), key, ceilingPerS: undefined, log: makeSilentLog() });
  await pace.block({ why: 'the service says too fast', because: 'limit', episode: 0, ...block });
  return pace.state();
}

test('each wait of the pace is reported with its reason', async () => {
  expect([...blockedNow(await stateAfter({}))]).toEqual(['too fast']);
  expect([...blockedNow(await stateAfter({ headers: { 'retry-after': '2' } }))]).toEqual(['asked']);
  const outage = { why: 'the service is not answering (ECONNREFUSED)', because: 'outage' } as const;
  expect([...blockedNow(await stateAfter(outage))]).toEqual(['outage']);
});

test('a wait that is over is not reported, and tripped breakers and paused queues are', async () => {
  const state = await stateAfter({});
  expect([...blockedNow(state, (state.blocked?.untilMs ?? 0) + 1)]).toEqual([]);
  const tripped = [{ kind: 'limit' as const, why: 'status 502', untilMs: 0, isTried: false }];
  expect([...blockedNow({ ...state, tripped, paused: ['companies'] })]).toEqual([
    'too fast',
    'unknown outcome',
    'paused queue',
  ]);
});
