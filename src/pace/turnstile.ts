import { LimitlineError } from '../errors.ts';

/**
 * A turn to send one call, now, with the episode that it belongs to; or the advice to come back later. `isLate` says
 * that the turn has not been used in time and, under a ceiling, would crowd the next ones.
 */
export type Taken = { is: 'turn'; episode: number; isLate: () => boolean } | { is: 'later'; waitMs: number };

/**
 * What the pace granted: so many turns, the first after `firstMs`; with none, when to ask again. `strict` turns are to
 * be used in time or not at all.
 */
export type Grant = { turns: number; firstMs: number; betweenMs: number; episode: number; strict: boolean };

/** Longer waits are given back to the queue: a row that waits in a worker keeps that worker from stopping. */
const LONGEST_WAIT_MS = 5_000;

/** A busy process or a token that had to be fetched makes turns late; this much the spacing has room for. */
const LATE_AFTER_MS = 15;

/** An outage of Redis is nobody's fault in line: they are asked for again until it is back. */
const RETRY_MS = 300;

/** So many turns of a fast pace are asked for together, and Redis is asked a hundred times a second at the most. */
const SHORTEST_PAUSE_MS = 10;

type Waiter = { resolve: (taken: Taken) => void; settled: boolean };

/**
 * Lines up the callers of one process and asks for their turns together, one question at a time: a hundred calls that
 * wait cost one trip to Redis, and turns are given in the order in which they were asked for.
 */
export function makeTurnstile(ask: (wanted: number) => Promise<Grant>, onFault: (error: unknown) => void) {
  const waiters: Waiter[] = [];
  const scheduled = new Map<Waiter, NodeJS.Timeout>();
  let asking = false;
  let recalls = 0;

  const askAgain = (error: unknown): Grant => {
    onFault(error);
    return { turns: 0, firstMs: RETRY_MS, betweenMs: 0, episode: 0, strict: false };
  };

  const release = (waiter: Waiter, { episode, strict }: Grant, afterMs: number): void => {
    const dueMs = performance.now() + afterMs;
    const isLate = () => strict && performance.now() - dueMs > LATE_AFTER_MS;
    const give = () => {
      scheduled.delete(waiter);
      settle(waiter, { is: 'turn', episode, isLate });
    };
    // Timers count whole milliseconds; what is due within one is due now.
    if (afterMs < 1) give();
    else scheduled.set(waiter, setTimeout(give, afterMs));
  };

  const serve = async (): Promise<void> => {
    asking = true;
    while (waiters.length > 0) {
      const recallsBefore = recalls;
      const grant = await ask(waiters.length).catch(askAgain);
      // Turns of a pace that has been cut while they were on their way are turns too fast.
      if (recalls !== recallsBefore) continue;
      for (let turn = 0; turn < grant.turns; turn += 1) {
        const waiter = nextWaiter(waiters);
        if (waiter) release(waiter, grant, grant.firstMs + turn * grant.betweenMs);
      }
      if (grant.turns === 0 && grant.firstMs > LONGEST_WAIT_MS) {
        for (const waiter of waiters.splice(0)) settle(waiter, { is: 'later', waitMs: grant.firstMs });
      } else if (grant.turns === 0) {
        await pause(Math.max(grant.firstMs, SHORTEST_PAUSE_MS));
      }
    }
    asking = false;
  };

  return {
    take(signal: AbortSignal): Promise<Taken> {
      return new Promise((resolve, reject) => {
        const waiter: Waiter = { resolve, settled: false };
        const give = () => {
          waiter.settled = true;
          reject(new LimitlineError('STOPPED', 'The process is stopping; the row waits for another.'));
        };
        if (signal.aborted) {
          give();
          return;
        }
        signal.addEventListener('abort', give, { once: true });
        waiter.resolve = (taken) => {
          signal.removeEventListener('abort', give);
          resolve(taken);
        };
        waiters.push(waiter);
        if (!asking) void serve();
      });
    },

    /** Takes back all turns that are not due yet: the line has stopped, and they would run into what stopped it. */
    recall(): void {
      recalls += 1;
      for (const timer of scheduled.values()) clearTimeout(timer);
      waiters.unshift(...scheduled.keys());
      scheduled.clear();
      if (!asking && waiters.length > 0) void serve();
    },
  };
}

/** The first who still waits: one whose process is stopping has gone, and its turn goes to the next. */
function nextWaiter(waiters: Waiter[]): Waiter | undefined {
  for (;;) {
    const waiter = waiters.shift();
    if (!waiter?.settled) return waiter;
  }
}

function settle(waiter: Waiter, taken: Taken): void {
  if (waiter.settled) return;
  waiter.settled = true;
  waiter.resolve(taken);
}

function pause(ms: number): Promise<void> {
  // Nothing but a row waits for this, and a process that stops gives its rows back first.
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
