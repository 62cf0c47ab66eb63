import { LimitlineError } from '../errors.ts';
import { makeDepartures } from './departures.ts';
import type { Grant, Permit } from './permit.ts';

/**
 * However long a wait is said to be, Redis is asked again this often: a block that ends early is noticed within it, and
 * one question a second is nothing, however many callers wait for its answer.
 */
const LONGEST_PAUSE_MS = 1_000;

/** An outage of Redis is no fault of those who wait: permits are asked for again until it is back. */
const RETRY_MS = 300;

/** So many permits of a fast pace are asked for together, and Redis is asked a hundred times a second at the most. */
const SHORTEST_PAUSE_MS = 10;

type Waiter = { signal: AbortSignal; resolve: (permit: Permit) => void; reject: (error: Error) => void };

/** A permit that has been granted to somebody, and is still to come. */
type Coming = { waiter: Waiter; grant: Grant; dueMs: number };

/**
 * Queues the callers of one process and asks for their permits together, one question at a time: a hundred calls that
 * wait cost one trip to Redis, and permits are given in the order in which they were asked for. A caller waits here for
 * as long as it takes, an hour if need be: a row that went back to its queue would only make room for the next one to
 * be taken up in vain, and so on to the last of the portfolio.
 *
 * @param spareWanted so many more permits are asked for than callers wait, for those that come within the next moment: only while the
 * pace limits nobody, since a permit that nobody takes is lost to the fleet
 */
export function makePermitQueue(
  ask: (wanted: number) => Promise<Grant>,
  onFault: (error: unknown) => void,
  spareWanted: () => number = () => 0,
) {
  let waiters: Waiter[] = [];
  /** In the order in which they are due, with one timer for the first. */
  let coming: Coming[] = [];
  let timer: NodeJS.Timeout | undefined;
  const heard = new WeakSet<AbortSignal>();
  const departures = makeDepartures();
  const lateness = makeLateness();
  const spare = makeSparePermits();
  let latestEpisode = 0;
  let asking = false;
  let recalls = 0;

  const askAgain = (error: unknown): Grant => {
    onFault(error);
    return { permits: 0, firstMs: RETRY_MS, betweenMs: 0, episode: latestEpisode, crowds: false, strict: false };
  };

  const makePermit = ({ episode, betweenMs, crowds, strict }: Grant, dueMs: number): Permit => {
    if (!strict) {
      const isLost = () => episode < latestEpisode || (crowds && lateness.isLost(performance.now() - dueMs));
      return { episode, isLost, leave: () => !isLost() };
    }
    departures.due(dueMs);
    const permit = { dueMs, betweenMs };
    return { episode, isLost: () => !departures.mayLeave(permit), leave: () => departures.leave(permit) };
  };

  /** Gives the permits that have come, and sees to the next. */
  const give = (): void => {
    clearTimeout(timer);
    const nowMs = performance.now();
    // Timers count whole milliseconds; what is due within one is due now.
    const later = coming.findIndex(({ dueMs }) => dueMs >= nowMs + 1);
    const due = coming.splice(0, later === -1 ? coming.length : later);
    const [next] = coming;
    timer = next && setTimeout(give, next.dueMs - nowMs);
    for (const { waiter, grant, dueMs } of due) waiter.resolve(makePermit(grant, dueMs));
  };

  const serve = async (): Promise<void> => {
    asking = true;
    do {
      const recallsBefore = recalls;
      const wanted = spareWanted();
      const grant = await ask(waiters.length + wanted).catch(askAgain);
      // Permits of a pace that has been cut while they were on their way are permits too fast.
      if (recalls !== recallsBefore) continue;
      // What is granted now is of the present episode: with another server its number may be lower than what was heard of before.
      latestEpisode = grant.episode;
      const nowMs = performance.now();
      for (let permit = 0; permit < grant.permits; permit += 1) {
        const dueMs = nowMs + grant.firstMs + permit * grant.betweenMs;
        const waiter = waiters.shift();
        if (waiter) coming.push({ waiter, grant, dueMs });
        else if (wanted > 0) spare.add({ grant, dueMs });
      }
      give();
      if (grant.permits > 0) continue;
      await pause(Math.min(Math.max(grant.firstMs, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS));
    } while (waiters.length > 0);
    asking = false;
  };

  /** A permit to spare that is due; others are asked for before the last is gone. */
  const takeNow = (): Permit | undefined => {
    const permit = waiters.length === 0 ? spare.take() : undefined;
    if (permit && !asking && spare.count() < spareWanted() / 2) void serve();
    return permit && makePermit(permit.grant, permit.dueMs);
  };

  /** Nobody asks on behalf of those who have gone; the permits that they were to have are lost. */
  const letGo = (signal: AbortSignal): void => {
    const hasGone = (waiter: Waiter): boolean => waiter.signal === signal;
    const gone = [...coming.map(({ waiter }) => waiter), ...waiters].filter(hasGone);
    coming = coming.filter(({ waiter }) => !hasGone(waiter));
    waiters = waiters.filter((waiter) => !hasGone(waiter));
    for (const { reject } of gone) reject(stopped());
  };

  return {
    /** Waits for a permit, however long it takes. Rejects with `STOPPED` when the signal is aborted first. */
    take(signal: AbortSignal): Promise<Permit> {
      if (signal.aborted) return Promise.reject(stopped());
      const permit = takeNow();
      if (permit) return Promise.resolve(permit);
      // Of thousands of permits one signal is the same, and listening to it costs more than all else that is done here.
      if (!heard.has(signal)) {
        heard.add(signal);
        signal.addEventListener('abort', () => letGo(signal), { once: true });
      }
      return new Promise((resolve, reject) => {
        waiters.push({ signal, resolve, reject });
        if (!asking) void serve();
      });
    },

    takeNow,

    /** An episode has begun: permits that were handed out before it are lost. */
    begins(episode: number): void {
      latestEpisode = Math.max(latestEpisode, episode);
    },

    /** Takes back all permits that are not due yet: all calls have stopped, and they would run into what stopped them. */
    recall(): void {
      recalls += 1;
      spare.forget();
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

/** A claim takes some milliseconds, and a tenth of a second where the machine is busy; longer than a second is no stall. */
const LATE_AFTER_MS = 150;
const LATE_FOR_MS = 1_000;

/**
 * Judges permits by how late they are used: by more than is usual on a busy machine, they would crowd those of a process, or a
 * Redis, that stood still. Where nothing has been in time for a second, that is how it is here, and no permit is lost for it.
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

/** As far as permits are handed out ahead (pace-scripts.ts): one that is older was meant for another moment. */
const USED_WITHIN_MS = 25;

/** Of which grant a permit is, and when it comes due, as `performance.now()` has it. */
type Due = { grant: Grant; dueMs: number };

/** Permits that were granted and that nobody waited for, in the order in which they come due. */
function makeSparePermits() {
  let permits: Due[] = [];

  return {
    add: (permit: Due): void => void permits.push(permit),

    /** The first that is due; those that came due too long ago are gone. */
    take(nowMs = performance.now()): Due | undefined {
      const fresh = permits.findIndex(({ dueMs }) => nowMs - dueMs <= USED_WITHIN_MS);
      if (fresh !== 0) permits = fresh === -1 ? [] : permits.slice(fresh);
      const [first] = permits;
      // Timers count whole milliseconds; what is due within one is due now.
      return first && first.dueMs <= nowMs + 1 ? permits.shift() : undefined;
    },

    count: (): number => permits.length,

    /** All calls have stopped: these would run into what stopped them. */
    forget(): void {
      permits = [];
    },
  };
}
