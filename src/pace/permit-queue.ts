import { rowStopped } from './slots.ts';

/**
 * Redis is asked at least this often, whatever wait it stated, so a block that ends early is noticed. One request a second costs little,
 * for any number of callers.
 */
const LONGEST_PAUSE_MS = 1_000;

/** Wait before a request for permits is repeated while Redis does not answer. */
const RETRY_MS = 300;

/** Redis is asked at most a hundred times a second; a fast pace gets several permits at once. */
const SHORTEST_PAUSE_MS = 10;

type Waiter = { signal: AbortSignal; resolve: (permit: Permit) => void; reject: (error: Error) => void };

/** A granted permit that is not due yet. */
type Coming = { waiter: Waiter; grant: Grant; dueMs: number };

/**
 * Queues the callers of one process and requests their permits together, one request at a time: a hundred waiting calls cost one round
 * trip. Permits are given in order. A caller waits here without a time limit, until its signal is aborted: if its row went back to its queue,
 * the next row would be taken up in vain, and so on to the portfolio's last.
 *
 * @param spareWanted permits to request beyond the waiting callers, for calls that come within the next moment; only while the pace limits
 *   no call, since an unused permit is lost to all processes
 */
export function makePermitQueue(
  ask: (wanted: number) => Promise<Grant>,
  onFault: (error: unknown) => void,
  spareWanted: () => number = () => 0,
) {
  let waiters: Waiter[] = [];
  /** The granted permits that are not due yet, ordered by due time; one timer waits for the first. */
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

  /** Gives out the due permits, and sets the timer for the next. */
  const give = (): void => {
    clearTimeout(timer);
    const nowMs = performance.now();
    // Timers count whole milliseconds, so a permit that is due within a millisecond is given now.
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
      // A recall happened meanwhile, so these permits are too fast for the present pace.
      if (recalls !== recallsBefore) continue;
      // A grant always has the present episode. After a takeover by another server its number may be lower than before.
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

  /** A spare permit that is due. More are requested before the last is gone. */
  const takeNow = (): Permit | undefined => {
    const permit = waiters.length === 0 ? spare.take() : undefined;
    if (permit && !asking && spare.count() < spareWanted() / 2) void serve();
    return permit && makePermit(permit.grant, permit.dueMs);
  };

  /** Removes the callers of an aborted signal; their permits are lost. */
  const letGo = (signal: AbortSignal): void => {
    const hasGone = (waiter: Waiter): boolean => waiter.signal === signal;
    const gone = [...coming.map(({ waiter }) => waiter), ...waiters].filter(hasGone);
    coming = coming.filter(({ waiter }) => !hasGone(waiter));
    waiters = waiters.filter((waiter) => !hasGone(waiter));
    for (const { reject } of gone) reject(rowStopped());
  };

  return {
    /** Waits for a permit, without a time limit. Rejects with `STOPPED` when the signal is aborted first. */
    take(signal: AbortSignal): Promise<Permit> {
      if (signal.aborted) return Promise.reject(rowStopped());
      const permit = takeNow();
      if (permit) return Promise.resolve(permit);
      // One listener for each signal: thousands of permits share one, and listeners cost more than the rest of this function.
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

    /** Called when an episode begins. Permits of earlier episodes are no longer valid. */
    begins(episode: number): void {
      latestEpisode = Math.max(latestEpisode, episode);
    },

    /** Takes back all permits that are not due yet, since all calls have stopped. */
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
  // The timer need not keep the process alive: only rows wait for it, and a stopping process returns them first.
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}

/**
 * A permit used later than this is late: a claim takes some ms, or 100 ms on a busy machine. If every permit is late for a second, the
 * machine is slow and has not stalled.
 */
const LATE_AFTER_MS = 150;
const LATE_FOR_MS = 1_000;

/**
 * Judges permits by their lateness. After a stall of this process or of Redis, late permits would crowd the next ones, so they are lost. If
 * no permit has been in time for a second, the machine is slow and no permit is lost.
 */
function makeLateness() {
  let lateSinceMs: number | undefined;
  return {
    isLost(lateMs: number): boolean {
      const nowMs = performance.now();
      if (lateMs <= LATE_AFTER_MS) {
        lateSinceMs = undefined;
        return false;
      }
      lateSinceMs ??= nowMs;
      return nowMs - lateSinceMs < LATE_FOR_MS;
    },
  };
}

/** How long a spare permit may be used after its due time. It is the time for which permits are handed out ahead (pace-scripts.ts). */
const USED_WITHIN_MS = 25;

/** A permit's grant, and its due time by `performance.now()`. */
type Due = { grant: Grant; dueMs: number };

/** Granted permits without a waiting caller, ordered by due time. */
function makeSparePermits() {
  let permits: Due[] = [];

  return {
    add: (permit: Due): void => void permits.push(permit),

    /** The first permit that is due; drops those that were due too long ago. */
    take(): Due | undefined {
      const nowMs = performance.now();
      const fresh = permits.findIndex(({ dueMs }) => nowMs - dueMs <= USED_WITHIN_MS);
      if (fresh !== 0) permits = fresh === -1 ? [] : permits.slice(fresh);
      const [first] = permits;
      // Timers count whole milliseconds, so a permit that is due within a millisecond is given now.
      return first && first.dueMs <= nowMs + 1 ? permits.shift() : undefined;
    },

    count: (): number => permits.length,

    /** Drops all spare permits, since all calls have stopped. */
    forget(): void {
      permits = [];
    },
  };
}

/**
 * A permit to send one call now. Its episode is the time between two blocks or cuts of the rate. A permit is lost if it is late, since the
 * call would come close to the next ones. It is also lost if its episode is over, since the call would meet the same block. `isLost` is asked
 * while the call is prepared. `leave` is asked just before the send, and answers whether the call may leave.
 */
export type Permit = { episode: number; isLost: () => boolean; leave: () => boolean };

/**
 * Permits that the pace granted. `firstMs`: the wait for the first or, without permits, until the next request. `strict`: there is a
 * ceiling. `crowds`: used late, these permits would reach the service's limit together.
 */
export type Grant = {
  permits: number;
  firstMs: number;
  betweenMs: number;
  episode: number;
  crowds: boolean;
  strict: boolean;
};

export type Departures = ReturnType<typeof makeDepartures>;

/** A call that leaves longer than this after its permit was due is late. Smaller delays fit between two permits. */
const DEPARTS_LATE_MS = 15;

/** The ceiling limits how many calls leave in any period of this length. */
const SECOND_MS = 1_000;

/** A permit under a ceiling: its due time, and the ms between two permits of all processes together. */
type DuePermit = { dueMs: number; betweenMs: number };

/**
 * Limits the calls that leave this process in any second to the permits due in it. The permits of all processes keep the ceiling, so their
 * calls keep it too, however late some are. Calls that waited together, for a token or for a replica of Redis to confirm, do not leave
 * together: late ones give up their permits. After a second with only late calls, late ones may leave: one interval apart, or one a second
 * if no permit is due in it.
 *
 * Times are those of `performance.now()`.
 */
export function makeDepartures() {
  const due: number[] = [];
  const left: number[] = [];

  let lateSinceMs: number | undefined;

  const isLate = ({ dueMs }: DuePermit, nowMs: number): boolean => nowMs - dueMs > DEPARTS_LATE_MS;

  const mayLeave = (permit: DuePermit, nowMs = performance.now()): boolean => {
    forgetUntil(nowMs - SECOND_MS, due);
    forgetUntil(nowMs - SECOND_MS, left);
    const last = left.at(-1);
    if (isLate(permit, nowMs)) {
      lateSinceMs ??= nowMs;
      if (nowMs - lateSinceMs < SECOND_MS) return false;
      if (last !== undefined && nowMs - last < permit.betweenMs) return false;
    }
    return last === undefined || left.length < due.length;
  };

  return {
    /** Notes a permit's due time. */
    due: (dueMs: number): void => void due.push(dueMs),

    /** Whether the permit's call may leave at `nowMs`. Asking counts nothing. */
    mayLeave,

    /** Whether the permit's call may leave now; if so, counts the call as gone. */
    leave(permit: DuePermit, nowMs = performance.now()): boolean {
      if (!mayLeave(permit, nowMs)) return false;
      left.push(nowMs);
      if (!isLate(permit, nowMs)) lateSinceMs = undefined;
      return true;
    },
  };
}

/** Removes times up to `ms` from a list in ascending order. */
function forgetUntil(ms: number, times: number[]): void {
  const kept = times.findIndex((time) => time > ms);
  times.splice(0, kept === -1 ? times.length : kept);
}
