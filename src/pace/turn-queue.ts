import { LimitlineError } from '../errors.ts';
import { makeDepartures } from './departures.ts';

/**
 * A turn to send one call, now, with the episode that it belongs to. Under a ceiling a turn that was not used in time would
 * crowd the next ones: `isLost` says so while the call is got ready, and `leave`, asked when all waiting is over, whether it
 * may be sent. Without a ceiling no turn is lost.
 */
export type Turn = { episode: number; isLost: () => boolean; leave: () => boolean };

/**
 * What the pace granted: so many turns, the first after `firstMs`; with none, when to ask again. `strict` turns are those
 * under a ceiling.
 */
export type Grant = { turns: number; firstMs: number; betweenMs: number; episode: number; strict: boolean };

/**
 * However long a wait is said to be, Redis is asked again this often: a block that ends early is noticed within it, and
 * one question a second is nothing, however many callers wait for its answer.
 */
const LONGEST_PAUSE_MS = 1_000;

/** An outage of Redis is no fault of those who wait: turns are asked for again until it is back. */
const RETRY_MS = 300;

/** So many turns of a fast pace are asked for together, and Redis is asked a hundred times a second at the most. */
const SHORTEST_PAUSE_MS = 10;

/**
 * Where turns are plenty too, those who come within so much of the last question are asked for together: a row is busy for
 * longer than that between two of its calls, and a question is among the dearest that Redis is asked.
 */
const ASK_EVERY_MS = 5;

type Waiter = { signal: AbortSignal; resolve: (turn: Turn) => void; reject: (error: Error) => void };

/** A turn that has been granted to somebody, and is still to come. */
type Coming = { waiter: Waiter; grant: Grant; dueMs: number };

/**
 * Queues the callers of one process and asks for their turns together, one question at a time: a hundred calls that
 * wait cost one trip to Redis, and turns are given in the order in which they were asked for. A caller waits here for
 * as long as it takes, an hour if need be: a row that went back to its queue would only make room for the next one to
 * be taken up in vain, and so on to the last of the portfolio.
 */
export function makeTurnQueue(ask: (wanted: number) => Promise<Grant>, onFault: (error: unknown) => void) {
  let waiters: Waiter[] = [];
  /** In the order in which they are due, with one timer for the first. */
  let coming: Coming[] = [];
  let timer: NodeJS.Timeout | undefined;
  const heard = new WeakSet<AbortSignal>();
  const departures = makeDepartures();
  let asking = false;
  let askedAtMs = Number.NEGATIVE_INFINITY;
  let recalls = 0;

  const askAgain = (error: unknown): Grant => {
    onFault(error);
    return { turns: 0, firstMs: RETRY_MS, betweenMs: 0, episode: 0, strict: false };
  };

  const makeTurn = ({ episode, betweenMs, strict }: Grant, dueMs: number): Turn => {
    if (!strict) return { episode, isLost: () => false, leave: () => true };
    departures.due(dueMs);
    const turn = { dueMs, betweenMs };
    return { episode, isLost: () => !departures.mayLeave(turn), leave: () => departures.leave(turn) };
  };

  /** Gives the turns that have come, and sees to the next. */
  const give = (): void => {
    clearTimeout(timer);
    const nowMs = performance.now();
    // Timers count whole milliseconds; what is due within one is due now.
    const later = coming.findIndex(({ dueMs }) => dueMs >= nowMs + 1);
    const due = coming.splice(0, later === -1 ? coming.length : later);
    const [next] = coming;
    timer = next && setTimeout(give, next.dueMs - nowMs);
    for (const { waiter, grant, dueMs } of due) waiter.resolve(makeTurn(grant, dueMs));
  };

  const serve = async (): Promise<void> => {
    asking = true;
    while (waiters.length > 0) {
      const earlyMs = askedAtMs + ASK_EVERY_MS - performance.now();
      if (earlyMs > 0) {
        await pause(Math.ceil(earlyMs));
        continue;
      }
      askedAtMs = performance.now();
      const recallsBefore = recalls;
      const grant = await ask(waiters.length).catch(askAgain);
      // Turns of a pace that has been cut while they were on their way are turns too fast.
      if (recalls !== recallsBefore) continue;
      const nowMs = performance.now();
      for (const [turn, waiter] of waiters.splice(0, grant.turns).entries()) {
        coming.push({ waiter, grant, dueMs: nowMs + grant.firstMs + turn * grant.betweenMs });
      }
      give();
      if (grant.turns > 0) continue;
      await pause(Math.min(Math.max(grant.firstMs, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS));
    }
    asking = false;
  };

  /** Nobody asks on behalf of those who have gone; the turns that they were to have are lost. */
  const letGo = (signal: AbortSignal): void => {
    const hasGone = (waiter: Waiter): boolean => waiter.signal === signal;
    const gone = [...coming.map(({ waiter }) => waiter), ...waiters].filter(hasGone);
    coming = coming.filter(({ waiter }) => !hasGone(waiter));
    waiters = waiters.filter((waiter) => !hasGone(waiter));
    for (const { reject } of gone) reject(stopped());
  };

  return {
    /** Waits for a turn, however long it takes. Rejects with `STOPPED` when the signal is aborted first. */
    take(signal: AbortSignal): Promise<Turn> {
      if (signal.aborted) return Promise.reject(stopped());
      // Of thousands of turns one signal is the same, and listening to it costs more than all else that is done here.
      if (!heard.has(signal)) {
        heard.add(signal);
        signal.addEventListener('abort', () => letGo(signal), { once: true });
      }
      return new Promise((resolve, reject) => {
        waiters.push({ signal, resolve, reject });
        if (!asking) void serve();
      });
    },

    /** Takes back all turns that are not due yet: all calls have stopped, and they would run into what stopped them. */
    recall(): void {
      recalls += 1;
      clearTimeout(timer);
      waiters.unshift(...coming.map(({ waiter }) => waiter));
      coming = [];
      if (!asking && waiters.length > 0) void serve();
    },
  };
}

function pause(ms: number): Promise<void> {
  // Nothing but a row waits for this, and a process that stops gives its rows back first.
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}

function stopped(): LimitlineError {
  return new LimitlineError('STOPPED', 'The process is stopping; the row waits for another.');
}
