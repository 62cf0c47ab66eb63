import type { Context } from '../../src/context.ts';
import { messageOf } from '../../src/errors.ts';
import { type Glance, makeGlances } from '../../src/ledger/counts/glances.ts';
import { onceAtATime } from '../../src/once-at-a-time.ts';
import { within } from './deadline.ts';

/** A person who waits for the end of a portfolio notices no more, and Redis does not notice at all. */
const LOOK_EVERY_MS = 2_000;
/** With a look, and the time that it takes to write a large portfolio, what is kept is no older than a minute. */
const KEEP_EVERY_MS = 45_000;
/** Some eighty thousand rows are written within this. Who stops a process waits no longer. */
const LAST_LOOK_MS = 5_000;

/**
 * Keeps the results of each portfolio in the data folder (jobs/export/keep-results.ts): when it is settled, whoever settled it, and
 * each minute while it is worked on. A folder that cannot be written is logged, and nothing else fails.
 */
export function startKeepingResults(context: Context, keepEveryMs = KEEP_EVERY_MS) {
  const { log, ledger, keys, portfolios, marks } = context;
  const stopping = new AbortController();
  const { signal } = stopping;
  const glances = makeGlances({ connection: ledger, keys });
  /** How portfolios stood when their results were kept: when they were finished, or all that is read of one that goes on. */
  const known = new Map<string, { seen: unknown; atMs: number }>();
  let [everyMs, restsUntilMs] = [keepEveryMs, 0];

  const keep = async ({ name, finishedMs }: Glance): Promise<void> => {
    const { seen: before, atMs: lastMs = Number.NEGATIVE_INFINITY } = known.get(name) ?? {};
    const atMs = performance.now();
    if (finishedMs === undefined ? atMs < lastMs + everyMs : before === finishedMs) return;
    // What rows on their way have made is worth as much as what those have that ended; where nothing was made there is nothing to keep.
    const { calls, states, startedMs = 0 } = await portfolios.read(name);
    // Most portfolios are settled before they are as old as that, and are written once.
    if (finishedMs === undefined && Date.now() < startedMs + everyMs) return;
    const isNothing = finishedMs === undefined && calls.company + calls.document + calls.limit <= calls.throttled;
    const seen = finishedMs ?? JSON.stringify([calls, states]);
    const isKept = (keptMs: number, nowMs: number) => keptMs >= (finishedMs ?? nowMs - everyMs);
    const { keepResults } = await import('../export/keep-results.ts');
    const isDone = isNothing || seen === before || (await keepResults(name, isKept, { ...context, signal }));
    // What another process keeps is looked at again soon: that process may be gone.
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
  // While Redis is away, or older than what was sent, that is said by others.
  const lookOnce = onceAtATime(() =>
    look().catch((error) => log.debug({ reason: messageOf(error) }, 'results were not looked at')),
  );
  const timer = setInterval(lookOnce, Math.min(LOOK_EVERY_MS, everyMs)).unref();
  return {
    /** Keeps what has changed by now, and no more. */
    async stop(limitMs = LAST_LOOK_MS): Promise<void> {
      clearInterval(timer);
      everyMs = 0;
      const looked = lookOnce().then(lookOnce);
      if (ledger.status === 'ready') await within(Math.min(limitMs, LAST_LOOK_MS), looked);
      stopping.abort();
    },
  };
}
