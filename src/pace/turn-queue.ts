import { LimitlineError } from '../errors.ts';
import { makeDepartures } from './departures.ts';
import type { Grant, Turn } from './turn.ts';

/**
 * However long a wait is said to be, Redis is asked again this often: a block that ends early is noticed within it, and
 * one question a second is nothing, however many callers wait for its answer.
 */
const LONGEST_PAUSE_MS = 1_000;

/** An outage of Redis is no fault of those who wait: turns are asked for again until it is back. */
const RETRY_MS = 300;

/** So many turns of a fast pace are asked for together, and Redis is asked a hundred times a second at the most. */
const SHORTEST_PAUSE_MS = 10;

type Waiter = { signal: AbortSignal; resolve: (turn: Turn) => void; reject: (error: Error) => void };

/** A turn that has been granted to somebody, and is still to come. */
type Coming = { waiter: Waiter; grant: Grant; dueMs: number };

/**
 * Queues the callers of one process and asks for their turns together, one question at a time: a hundred calls that
 * wait cost one trip to Redis, and turns are given in the order in which they were asked for. A caller waits here for
 * as long as it takes, an hour if need be: a row that went back to its queue would only make room for the next one to
 * be taken up in vain, and so on to the last of the portfolio.
 *
 * @param spareWanted so many more turns are asked for than callers wait, for those that come within the next moment: only while the
 * pace limits nobody, since a turn that nobody takes is lost to the fleet
 */
export function makeTurnQueue(
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
  const spare = makeSpareTurns();
  let latestEpisode = 0;
  let asking = false;
  let recalls = 0;

  const askAgain = (error: unknown): Grant => {
    onFault(error);
    return { turns: 0, firstMs: RETRY_MS, betweenMs: 0, episode: latestEpisode, crowds: false, strict: false };
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
    do {
      const recallsBefore = recalls;
      const wanted = spareWanted();
      const grant = await ask(waiters.length + wanted).catch(askAgain);
      // Turns of a pace that has been cut while they were on their way are turns too fast.
      if (recalls !== recallsBefore) continue;
      // What is granted now is of the present episode: with another server its number may be lower than what was heard of before.
      latestEpisode = grant.episode;
      const nowMs = performance.now();
      for (let turn = 0; turn < grant.turns; turn += 1) {
        const dueMs = nowMs + grant.firstMs + turn * grant.betweenMs;
        const waiter = waiters.shift();
        if (waiter) coming.push({ waiter, grant, dueMs });
        else if (wanted > 0) spare.add({ grant, dueMs });
      }
      give();
      if (grant.turns > 0) continue;
      await pause(Math.min(Math.max(grant.firstMs, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS));
    } while (waiters.length > 0);
    asking = false;
  };

  /** A turn to spare that is due; others are asked for before the last is gone. */
  const takeNow = (): Turn | undefined => {
    const turn = waiters.length === 0 ? spare.take() : undefined;
    if (turn && !asking && spare.count() < spareWanted() / 2) void serve();
    return turn && makeTurn(turn.grant, turn.dueMs);
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
      const turn = takeNow();
      if (turn) return Promise.resolve(turn);
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

    takeNow,

    /** An episode has begun: turns that were handed out before it are lost. */
    begins(episode: number): void {
      latestEpisode = Math.max(latestEpisode, episode);
    },

    /** Takes back all turns that are not due yet: all calls have stopped, and they would run into what stopped them. */
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

/** As far as turns are handed out ahead (pace-scripts.ts): one that is older was meant for another moment. */
const USED_WITHIN_MS = 25;

/** Of which grant a turn is, and when it comes due, as `performance.now()` has it. */
type Due = { grant: Grant; dueMs: number };

/** Turns that were granted and that nobody waited for, in the order in which they come due. */
function makeSpareTurns() {
  let turns: Due[] = [];

  return {
    add: (turn: Due): void => void turns.push(turn),

    /** The first that is due; those that came due too long ago are gone. */
    take(nowMs = performance.now()): Due | undefined {
      const fresh = turns.findIndex(({ dueMs }) => nowMs - dueMs <= USED_WITHIN_MS);
      if (fresh !== 0) turns = fresh === -1 ? [] : turns.slice(fresh);
      const [first] = turns;
      // Timers count whole milliseconds; what is due within one is due now.
      return first && first.dueMs <= nowMs + 1 ? turns.shift() : undefined;
    },

    count: (): number => turns.length,

    /** All calls have stopped: these would run into what stopped them. */
    forget(): void {
      turns = [];
    },
  };
}
