import { LimitlineError } from '../errors.ts';
import { makeDepartures } from './departures.ts';

/**
 * A turn to send one call, now, with the episode that it belongs to. A turn that was not used in time would crowd the next ones,
 * and one from before the limit was met would meet it again: `isLost` says so while the call is got ready, and `leave`, asked
 * when all waiting is over, whether it may be sent.
 */
export type Turn = { episode: number; isLost: () => boolean; leave: () => boolean };

/**
 * What the pace granted: so many turns, the first after `firstMs`; with none, when to ask again. `strict` turns are those
 * under a ceiling; those that `crowds` speaks of would meet the service's limit together if they were used late.
 */
export type Grant = {
  turns: number;
  firstMs: number;
  betweenMs: number;
  episode: number;
  crowds: boolean;
  strict: boolean;
};

/**
 * However long a wait is said to be, Redis is asked again this often: a block that ends early is noticed within it, and
 * one question a second is nothing, however many callers wait for its answer.
 */
const LONGEST_PAUSE_MS = 1_000;

/** An outage of Redis is no fault of those who wait: turns are asked for again until it is back. */
const RETRY_MS = 300;

/** So many turns of a fast pace are asked for together, and Redis is asked a hundred times a second at the most. */
const SHORTEST_PAUSE_MS = 10;

/** A claim takes some milliseconds, and a tenth of a second where the machine is busy; longer than a second is no stall. */
const LATE_AFTER_MS = 150;
const LATE_FOR_MS = 1_000;

type Waiter = { resolve: (turn: Turn) => void; isDone: boolean };

/**
 * Queues the callers of one process and asks for their turns together, one question at a time: a hundred calls that
 * wait cost one trip to Redis, and turns are given in the order in which they were asked for. A caller waits here for
 * as long as it takes, an hour if need be: a row that went back to its queue would only make room for the next one to
 * be taken up in vain, and so on to the last of the portfolio.
 */
export function makeTurnQueue(ask: (wanted: number) => Promise<Grant>, onFault: (error: unknown) => void) {
  const waiters: Waiter[] = [];
  const scheduled = new Map<Waiter, NodeJS.Timeout>();
  const departures = makeDepartures();
  const lateness = makeLateness();
  let asking = false;
  let recalls = 0;
  let latestEpisode = 0;

  const askAgain = (error: unknown): Grant => {
    onFault(error);
    return { turns: 0, firstMs: RETRY_MS, betweenMs: 0, episode: 0, crowds: false, strict: false };
  };

  const makeTurn = ({ episode, betweenMs, crowds, strict }: Grant, dueMs: number): Turn => {
    if (!strict) {
      const isLost = () => episode < latestEpisode || (crowds && lateness.isLost(performance.now() - dueMs));
      return { episode, isLost, leave: () => !isLost() };
    }
    departures.due(dueMs);
    const turn = { dueMs, betweenMs };
    return { episode, isLost: () => !departures.mayLeave(turn), leave: () => departures.leave(turn) };
  };

  const release = (waiter: Waiter, grant: Grant, afterMs: number): void => {
    const dueMs = performance.now() + afterMs;
    const give = () => {
      scheduled.delete(waiter);
      pass(waiter, makeTurn(grant, dueMs));
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
      latestEpisode = Math.max(latestEpisode, grant.episode);
      // Turns of a pace that has been cut while they were on their way are turns too fast.
      if (recalls !== recallsBefore) continue;
      for (let turn = 0; turn < grant.turns; turn += 1) {
        const waiter = nextWaiter(waiters);
        if (waiter) release(waiter, grant, grant.firstMs + turn * grant.betweenMs);
      }
      if (grant.turns > 0) continue;
      await pause(Math.min(Math.max(grant.firstMs, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS));
    }
    asking = false;
  };

  return {
    /** Waits for a turn, however long it takes. Rejects with `STOPPED` when the signal is aborted first. */
    take(signal: AbortSignal): Promise<Turn> {
      return new Promise((resolve, reject) => {
        const waiter: Waiter = { resolve, isDone: false };
        const give = () => {
          waiter.isDone = true;
          // Nobody asks on behalf of one who has gone.
          const place = waiters.indexOf(waiter);
          if (place >= 0) waiters.splice(place, 1);
          reject(new LimitlineError('STOPPED', 'The process is stopping; the row waits for another.'));
        };
        if (signal.aborted) {
          give();
          return;
        }
        signal.addEventListener('abort', give, { once: true });
        waiter.resolve = (turn) => {
          signal.removeEventListener('abort', give);
          resolve(turn);
        };
        waiters.push(waiter);
        if (!asking) void serve();
      });
    },

    /** An episode has begun: turns that were handed out before it are lost. */
    begins(episode: number): void {
      latestEpisode = Math.max(latestEpisode, episode);
    },

    /** Takes back all turns that are not due yet: all calls have stopped, and they would run into what stopped them. */
    recall(): void {
      recalls += 1;
      for (const timer of scheduled.values()) clearTimeout(timer);
      waiters.unshift(...scheduled.keys());
      scheduled.clear();
      if (!asking && waiters.length > 0) void serve();
    },
  };
}

/**
 * Judges turns by how late they are used: by more than is usual on a busy machine, they would crowd those of a process, or a
 * Redis, that stood still. Where nothing has been in time for a second, that is how it is here, and no turn is lost for it.
 */
function makeLateness() {
  let lateSinceMs: number | undefined;
  return {
    isLost(lateMs: number, nowMs = performance.now()): boolean {
      if (lateMs <= LATE_AFTER_MS) {
        lateSinceMs = undefined;
        return false;
      }
      lateSinceMs ??= nowMs;
      return nowMs - lateSinceMs < LATE_FOR_MS;
    },
  };
}

/** The first who still waits: one whose process is stopping has gone, and its turn goes to the next. */
function nextWaiter(waiters: Waiter[]): Waiter | undefined {
  for (;;) {
    const waiter = waiters.shift();
    if (!waiter?.isDone) return waiter;
  }
}

function pass(waiter: Waiter, turn: Turn): void {
  if (waiter.isDone) return;
  waiter.isDone = true;
  waiter.resolve(turn);
}

function pause(ms: number): Promise<void> {
  // Nothing but a row waits for this, and a process that stops gives its rows back first.
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
