import type { AnswerHeaders } from '../answer-headers.ts';
import type { Log } from '../log.ts';
import type { RedisConnection } from '../lua-script.ts';
import { type LimitWords, makeUntold, readDate, readLimitWords } from './limit-headers.ts';
import { LONGEST_UNSTATED_WAIT_MS, makePaceScripts } from './pace-scripts.ts';
import type { BlockedBy, PaceState } from './pace-words.ts';
import { type Grant, makePermitQueue, type Permit } from './permit-queue.ts';

export type Pace = ReturnType<typeof makePace>;

/** Why nothing leaves for a while, and whether the rate is at fault. */
type Block = {
  why: string;
  /** With `limit` the rate was too high and is lowered. The other reasons do not change the rate. */
  because: Exclude<BlockedBy, 'asked'>;
  /** An outage response that may come from a rate limiter, such as nginx' 503. It counts as a limit if other calls pass meanwhile. */
  mayBeLimit?: boolean;
  /** The wait that Limitline chooses itself, in ms; a wait that the service states in `headers` overrides it. */
  askedMs?: number;
  headers?: AnswerHeaders;
  /** Episode of the call's permit. */
  episode: number;
};

/** Interval in ms at which responses are reported to Redis while no call asks for permits; it is shorter while the rate doubles. */
const TELL_EVERY_MS = 250;
const TELL_AT_START_EVERY_MS = 25;

/**
 * One pace for all processes: when the next call may leave. It is kept in Redis and uses its clock. lua/raise-rate.lua and
 * lua/lower-rate.lua find the service's limit.
 *
 * @param key the pace's key; one for each account
 * @param ceilingPerS calls a second that all processes together never exceed
 */
export function makePace(given: {
  connection: RedisConnection;
  key: string;
  ceilingPerS: number | undefined;
  log: Log;
}) {
  const { connection, key, ceilingPerS, log } = given;
  const scripts = makePaceScripts({ connection, key, ceilingPerS });
  const readWords = makeWordsReader(log);
  const untold = makeUntold();
  let state: PaceState = {
    phase: 'start',
    ratePerS: scripts.firstRatePerS,
    flowPerS: 0,
    isLimiting: false,
    atCeiling: false,
    blocked: undefined,
  };
  let isProbing = false;
  let telling: NodeJS.Timeout | undefined;

  const ask = async (wanted: number): Promise<Grant> => {
    const told = untold.take();
    const taken = await scripts.take(wanted, told).catch((error) => {
      // The next request reports these responses.
      untold.putBack(told.accepted);
      throw error;
    });
    ({ isProbing, state } = taken);
    return { ...taken, strict: scripts.hasCeiling };
  };
  const permitQueue = makePermitQueue(
    ask,
    (error) => log.debug({ err: error }, 'Redis does not answer a request for permits; trying again'),
    () => (scripts.hasCeiling || isProbing ? 0 : sparePermits(state)),
  );

  /** Reports responses to Redis while no permit request would carry them. */
  const tell = async (): Promise<void> => {
    clearTimeout(telling);
    telling = undefined;
    if (untold.accepted() === 0) return;
    await ask(0).catch((error) => log.debug({ err: error }, 'responses could not be counted for the rate of calls'));
  };

  const block = async (given: Block): Promise<void> => {
    const { why, because, mayBeLimit = false, askedMs = 0, headers = {}, episode } = given;
    permitQueue.recall();
    const words = readWords(headers);
    const statedMs = words.retryAfterMs ?? (because === 'limit' ? words.resetMs : undefined);
    const shownWhy = statedMs === undefined ? why : ASKED;
    // Refused credentials stay the reason despite a header, since only a person can correct them.
    const by = statedMs === undefined || because === 'credentials' ? because : 'asked';
    const { waitMs, isFirst } = await scripts.block({
      askedMs: statedMs ?? askedMs,
      isLimit: because === 'limit',
      mayBeLimit,
      why: shownWhy,
      because: by,
      episode,
      accepted: untold.take().accepted,
      limit: words.remaining === 0 ? words.limit : undefined,
    });
    state = { ...state, blocked: { why: shownWhy, because: by, untilMs: Date.now() + waitMs } };
    if (!isFirst) return;
    permitQueue.begins(episode + 1);
    const facts = { waitMs: Math.round(waitMs), why };
    // Reaching the limit now and then is normal: the rate follows it that way.
    if (because === 'limit' && waitMs < LONGEST_UNSTATED_WAIT_MS) log.debug(facts, "the service's limit was reached");
    // Every attempt meets refused credentials again; the workers warn once a minute.
    else if (because === 'credentials') log.debug(facts, `calls wait: ${why}`);
    else log.warn(facts, `calls wait: ${why}`);
  };

  /** Applies a response's headers, whatever its status; all calls wait as long as a `Retry-After` asks. */
  const obey = async (headers: AnswerHeaders, accepted: 0 | 1): Promise<void> => {
    const words = readWords(headers);
    untold.add(accepted, words);
    if (isProbing) await tell();
    else telling ??= setTimeout(tell, state.phase === 'start' ? TELL_AT_START_EVERY_MS : TELL_EVERY_MS).unref();
    // With calls remaining, `Retry-After` is the time until the window is renewed, as rate-limiter-flexible sends it with every response.
    if (!words.retryAfterMs || (words.remaining ?? 0) > 0) return;
    // The service asked for this wait, so `block` stores the reason `asked`. The reason `outage` is passed since it leaves the rate as it
    // is.
    await block({ why: ASKED, because: 'outage', headers, episode: NO_EPISODE });
  };

  return {
    /**
     * Waits for a permit, without a time limit; notices within a second when a block ends early. Rejects with `STOPPED` when the signal is
     * aborted first.
     */
    take: (signal: AbortSignal): Promise<Permit> => permitQueue.take(signal),

    /** A spare permit that is due now; undefined if the call would have to wait. */
    takeNow: (): Permit | undefined => permitQueue.takeNow(),

    /** Reports that the service's limit let a call pass, whatever the response. Costs no round trip of its own. */
    answered: (headers: AnswerHeaders = {}): Promise<void> => obey(headers, 1),

    /** Reports a response that may come from a proxy and not from the service: only the response's headers count. */
    obey: (headers: AnswerHeaders): Promise<void> => obey(headers, 0),

    /**
     * Stops the calls of all processes for as long as the service asks. Without such a request, the wait doubles until a call passes. A 429
     * for a permit of an earlier episode changes nothing unless it states a wait.
     */
    block,

    /** Asks Redis for the pace's state, for a process that requests no permits. */
    async look(): Promise<PaceState> {
      await ask(0).catch((error) => log.debug({ err: error }, 'the pace could not be read'));
      return state;
    },

    /** The pace's state at this process's last request. */
    state: (): PaceState => state,
  };
}

/** Spare permits cover this much of the present flow: two thirds of the time that permits are handed out ahead. */
const SPARE_S = 0.016;
/** Below this flow, in calls a second, there are no spare permits: an unused one would be a noticeable part of the flow. */
const SPARE_FROM_PER_S = 200;
/**
 * Once the service's limit is known, spare permits are held only while the rate is at least so many times the flow, which is the calls that
 * are sent a second. An unused permit is lost to all processes.
 */
const SPARE_BELOW_LIMIT = 2;

/** How many spare permits to hold: plenty until a limit is reached, since the rate only grows then. */
function sparePermits({ phase, isLimiting, blocked, ratePerS, flowPerS }: PaceState): number {
  if (blocked || flowPerS < SPARE_FROM_PER_S) return 0;
  if (phase !== 'start' && (isLimiting || ratePerS < SPARE_BELOW_LIMIT * flowPerS)) return 0;
  return Math.ceil(flowPerS * SPARE_S);
}

/** An episode number below all others, for a block that begins no new episode. */
const NO_EPISODE = -1;

const ASKED = 'the service asked to wait';

/** Reads response headers by the service's clock, which their `Date` shows. */
function makeWordsReader(log: Log): (headers: AnswerHeaders) => LimitWords {
  const theirClock = makeTheirClock();
  let saidCapped = false;
  let dateBefore: AnswerHeaders[string];
  return (headers) => {
    // Among responses with the same `Date`, only the first helps to read the service's clock.
    const date = headers.date === dateBefore ? undefined : readDate(headers);
    dateBefore = headers.date;
    const words = readLimitWords(headers, theirClock.read(date, Date.now()));
    if (words.capped && !saidCapped) {
      saidCapped = true;
      log.warn({ header: words.capped }, 'the service asks for a wait of more than an hour; waiting for an hour');
    }
    return words;
  };
}

/** Age at which responses no longer count: the service's clock may have been corrected since. */
const FORGET_AFTER_MS = 60_000;

/**
 * The service's clock, by the `Date` of its responses. That header is cut to whole seconds, so one response is up to a second behind. The
 * one that is furthest ahead came just after a second began and is nearest the truth. After a second or two of responses, the error is only
 * a response's time on the network.
 */
export function makeTheirClock() {
  let ahead = Number.NEGATIVE_INFINITY;
  let aheadBefore = Number.NEGATIVE_INFINITY;
  let sinceMs = 0;
  return {
    /**
     * The service's present time, in ms since 1970; ours if no response had a date.
     *
     * @param dateMs the new response's `Date`
     */
    read(dateMs: number | undefined, nowMs: number): number {
      if (dateMs !== undefined) {
        if (nowMs - sinceMs > FORGET_AFTER_MS) {
          // The values are kept for two overlapping periods, so that one of the two always has some.
          aheadBefore = nowMs - sinceMs > 2 * FORGET_AFTER_MS ? Number.NEGATIVE_INFINITY : ahead;
          ahead = Number.NEGATIVE_INFINITY;
          sinceMs = nowMs;
        }
        ahead = Math.max(ahead, dateMs - nowMs);
      }
      const known = Math.max(ahead, aheadBefore);
      return Number.isFinite(known) ? nowMs + known : nowMs;
    },
  };
}
