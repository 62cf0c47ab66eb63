import { type WatchDeps, watchOnce } from '../../jobs/notices/watch.ts';
import type { Context } from '../../src/context.ts';
import { makeSilentLog } from '../../src/log.ts';
import type { Notice } from '../../src/notices/notice.ts';
import { readCallsHeld } from '../../src/pace/calls-held.ts';

/** Somebody who looks what there is to tell, by a clock that a test puts on. */
export function makeWatcher(context: Context, changes: Partial<WatchDeps> = {}) {
  const { ledger, keys, outbox } = context;
  let passedMs = 0;
  const lastedMs = { blocked: 0, tripped: 0 };
  const readCalls: WatchDeps['readCalls'] = async () => {
    const held = await readCallsHeld(ledger, keys);
    const { nowMs, probeMs, blocked } = held;
    return {
      ...held,
      nowMs: nowMs + passedMs,
      probeMs: probeMs + lastedMs.tripped,
      blocked: blocked && { ...blocked, untilMs: blocked.untilMs + lastedMs.blocked },
    };
  };
  const deps: WatchDeps = { ...context, readCalls, ...changes };
  const look = () => watchOnce(deps, { log: makeSilentLog(), signal: new AbortController().signal });
  return {
    deps,
    /** Looks once, and answers how many notices arose. */
    look,
    /** Looks again when so many minutes have gone by. */
    lookAfter(minutes: number): Promise<number> {
      passedMs += minutes * 60_000;
      return look();
    },
    /** The same where what holds calls back, a wait of all or tripped breakers, held them back all the time. */
    lookWhile(what: 'blocked' | 'tripped', minutes: number): Promise<number> {
      passedMs += minutes * 60_000;
      lastedMs[what] = passedMs;
      return look();
    },
    /** All that was told so far, the first one first. */
    told: async (): Promise<Notice[]> => (await outbox.lately()).map(({ notice }) => notice).reverse(),
  };
}

/** What a look goes by where the room of Redis is none of a test's business. */
export const ROOM = { readServers: async () => [] };

/** Rows that ended so, written down as the ledger has them; the next look sees them. */
export async function answered(
  { context }: { context: Context },
  name: string,
  { done, refused }: { done: number; refused: number },
) {
  const { ledger, keys } = context;
  await ledger.zadd(keys.portfolios, 1, name);
  await ledger.hset(keys.portfolio(name), 'started', 1);
  for (const [state, count] of Object.entries({ done, refused })) {
    const rows = Array.from({ length: count }, (_, place) => [place, `${name} ${state} ${place}`]).flat();
    if (rows.length > 0) await ledger.zadd(keys.rowsInState(name, state), ...rows);
  }
}

/** It settles now, by the server's clock. */
export async function settle({ context: { ledger, keys } }: { context: Context }, name: string): Promise<void> {
  const [seconds] = await ledger.time();
  await ledger.hset(keys.portfolio(name), 'finished', (Number(seconds) + 1) * 1_000);
}
