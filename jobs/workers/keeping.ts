import type { Context } from '../../src/context.ts';
import { messageOf } from '../../src/errors.ts';
import { inTime } from '../../src/in-time.ts';
import { type Glance, makeGlances } from '../../src/ledger/counts/glances.ts';
import { onceAtATime } from '../../src/once-at-a-time.ts';

/**
 * The interval of checks for results to write: so short that a person who waits for a portfolio's end notices no delay. A check costs
 * Redis next to nothing.
 */
const LOOK_EVERY_MS = 2_000;
/**
 * The least time between two writes of an open portfolio's results. With the interval of checks and the time of writing, results are a
 * minute old at most.
 */
const KEEP_EVERY_MS = 45_000;
/** How long a stopping process may still write: enough for some eighty thousand rows. */
const LAST_LOOK_MS = 5_000;

/**
 * Keeps each portfolio's results in the data folder (jobs/export/leave-results.ts): once it is finished, by whatever process,
 * and each minute while it is open. If the folder cannot be written, that is logged and nothing else fails.
 */
export function startKeepingResults(context: Context, keepEveryMs = KEEP_EVERY_MS) {
  const { log, ledger, keys, portfolios, marks } = context;
  const stopping = new AbortController();
  const { signal } = stopping;
  const glances = makeGlances({ connection: ledger, keys });
  /** The state of each portfolio when its results were last kept: when it finished, or its counts. */
  const known = new Map<string, { seen: unknown; atMs: number }>();
  let [everyMs, restsUntilMs] = [keepEveryMs, 0];

  const keep = async ({ name, finishedMs, isBegun }: Glance): Promise<void> => {
    if (finishedMs === undefined && !isBegun) return;
    const { seen: before, atMs: lastMs = Number.NEGATIVE_INFINITY } = known.get(name) ?? {};
    const atMs = performance.now();
    if (finishedMs === undefined ? atMs < lastMs + everyMs : before === finishedMs) return;
    // An open portfolio is only written if some call of it was not throttled. A finished portfolio is always written.
    const { calls, states, startedMs = 0 } = await portfolios.read(name);
    // Most portfolios finish within this time after their start, and so their results are written only once.
    if (finishedMs === undefined && Date.now() < startedMs + everyMs) return;
    const isNothing = finishedMs === undefined && calls.company + calls.document + calls.limit <= calls.throttled;
    const seen = finishedMs ?? JSON.stringify([calls, states]);
    const isKept = (keptMs: number, nowMs: number) => keptMs >= (finishedMs ?? nowMs - everyMs);
    const { keepResults } = await import('../export/leave-results.ts');
    const isDone = isNothing || seen === before || (await keepResults(name, isKept, { ...context, signal }));
    // If another process keeps an open portfolio, this one checks again soon: the other may die.
    if (isDone || finishedMs !== undefined) known.set(name, { seen, atMs });
  };
  const look = async (): Promise<void> => {
    if (performance.now() < restsUntilMs) return;
    await marks.check();
    for await (const page of glances()) {
      for (const glance of page) {
        if (signal.aborted) return;
        await keep(glance).catch((error) => {
          restsUntilMs = performance.now() + everyMs;
          const facts = { portfolio: glance.name, reason: messageOf(error) };
          if (!signal.aborted) log.warn(facts, 'results could not be kept in the data folder; tried again in a minute');
        });
      }
    }
  };
  // A lost connection to Redis, and a Redis that is older than what was sent, are logged by other parts of the process.
  const lookOnce = onceAtATime(() =>
    look().catch((error) => log.debug({ reason: messageOf(error) }, 'could not find out whose results are to be kept')),
  );
  const timer = setInterval(lookOnce, Math.min(LOOK_EVERY_MS, everyMs)).unref();
  return {
    /** Writes the results that have changed so far, within the time limit, and then stops. */
    async stop(limitMs = LAST_LOOK_MS): Promise<void> {
      clearInterval(timer);
      everyMs = 0;
      const looked = lookOnce().then(lookOnce);
      if (ledger.status === 'ready') await inTime(looked, Math.min(limitMs, LAST_LOOK_MS), () => {});
      stopping.abort();
    },
  };
}
