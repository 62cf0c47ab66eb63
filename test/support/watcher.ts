import { type WatchDeps, watchOnce } from '../../jobs/notices/watch.ts';
import type { Context } from '../../src/context.ts';
import { makeSilentLog } from '../../src/log.ts';
import type { Notice } from '../../src/notices/notice.ts';
import { readCallsHeld } from '../../src/pace/calls-held.ts';

/** A watcher that looks for notices, with a clock that the test moves. */
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
    /** Looks once, and returns the number of new notices. */
    look,
    /** Looks again after so many minutes. */
    lookAfter(minutes: number): Promise<number> {
      passedMs += minutes * 60_000;
      return look();
    },
    /** The same, while calls were held back the whole time, by a wait of all calls or by tripped breakers. */
    lookWhile(what: 'blocked' | 'tripped', minutes: number): Promise<number> {
      passedMs += minutes * 60_000;
      lastedMs[what] = passedMs;
      return look();
    },
    /** All notices so far, the oldest first. */
    told: async (): Promise<Notice[]> => (await outbox.lately()).map(({ notice }) => notice).reverse(),
  };
}

/** For tests that are not about the memory of Redis. */
export const ROOM = { readServers: async () => [] };

/** Rows that ended in this state, as the ledger stores them; the next look sees them. */
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

/** Settles a portfolio now, by the clock of the server. */
export async function settle({ context: { ledger, keys } }: { context: Context }, name: string): Promise<void> {
  const [seconds] = await ledger.time();
  await ledger.hset(keys.portfolio(name), 'finished', (Number(seconds) + 1) * 1_000);
}
