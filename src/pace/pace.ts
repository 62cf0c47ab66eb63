import type { AnswerHeaders } from '../answer-headers.ts';
import type { Log } from '../log.ts';
import type { RedisConnection } from '../lua-script.ts';
import { type LimitWords, readDate, readLimitWords } from './limit-headers.ts';
import { LONGEST_WAIT_MS, makePaceScripts } from './pace-scripts.ts';
import type { BlockedBy, PaceState } from './pace-state.ts';
import type { Grant, Permit } from './permit.ts';
import { makePermitQueue } from './permit-queue.ts';
import { makeTheirClock } from './their-clock.ts';
import { makeUntold } from './untold-answers.ts';

export type Pace = ReturnType<typeof makePace>;

/** Why nothing leaves for a while, and what that says of the pace. */
type Block = {
  why: string;
  /** `limit`: we were too fast, so the rate is lowered. The others say nothing of the rate. */
  because: Exclude<BlockedBy, 'asked'>;
  /** An outage that may be a limiter's word, such as nginx' 503: taken for one where other calls pass meanwhile. */
  mayBeLimit?: boolean;
  /** A wait that we ask for; the service's own, in `headers`, goes before it. */
  askedMs?: number;
  headers?: AnswerHeaders;
  /** In which the call had its permit. */
  episode: number;
};

/** Where nobody waits for a permit, what answers said is told this often, and sooner while the rate doubles by it. */
const TELL_EVERY_MS = 250;
const TELL_AT_START_EVERY_MS = 25;

/**
 * One pace for all processes: when the next call may leave. Kept in Redis, on its clock; lua/raise-rate.lua and
 * lua/lower-rate.lua are how the service's limit is found.
 *
 * @param key the pace's key; one a service and set of credentials
 * @param ceilingPerS calls a second that are never exceeded, all processes together
 */
export function makePace({
  connection,
  key,
  ceilingPerS,
  log,
}: {
  connection: RedisConnection;
  key: string;
  ceilingPerS: number | undefined;
  log: Log;
}) {
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
      // It is told with the next question.
      untold.putBack(told.accepted);
      throw error;
    });
    ({ isProbing, state } = taken);
    const { permits, firstMs, betweenMs, episode, crowds } = taken;
    return { permits, firstMs, betweenMs, episode, crowds, strict: scripts.hasCeiling };
  };
  const permitQueue = makePermitQueue(
    ask,
    (error) => log.debug({ err: error }, 'the pace cannot be asked; trying until it can'),
    () => (scripts.hasCeiling || isProbing ? 0 : sparePermits(state)),
  );

  /** Tells Redis what answers said, where no permit is asked for with which it could go. */
  const tell = async (): Promise<void> => {
    clearTimeout(telling);
    telling = undefined;
    if (untold.accepted() === 0) return;
    await ask(0).catch((error) => log.debug({ err: error }, 'the pace cannot be told'));
  };

  const block = async ({
    why,
    because,
    mayBeLimit = false,
    askedMs = 0,
    headers = {},
    episode,
  }: Block): Promise<void> => {
    permitQueue.recall();
    const words = readWords(headers);
    const statedMs = words.retryAfterMs ?? (because === 'limit' ? words.resetMs : undefined);
    const shownWhy = statedMs === undefined ? why : ASKED;
    // Whatever a header wishes, credentials are mended by a person alone.
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
    // Meeting the limit now and then is how it is followed, and no trouble.
    if (because === 'limit' && waitMs < LONGEST_WAIT_MS) log.debug(facts, "the service's limit was reached");
    // Each try meets that anew; whoever works says it once a minute.
    else if (because === 'credentials') log.debug(facts, `calls wait: ${why}`);
    else log.warn(facts, `calls wait: ${why}`);
  };

  /** What an answer says of the limit, whatever its status; a `Retry-After` stops all calls as it asks. */
  const obey = async (headers: AnswerHeaders, accepted: 0 | 1): Promise<void> => {
    const words = readWords(headers);
    untold.add(accepted, words);
    if (isProbing) await tell();
    else telling ??= setTimeout(tell, state.phase === 'start' ? TELL_AT_START_EVERY_MS : TELL_EVERY_MS).unref();
    // Beside an allowance that is not used up, as rate-limiter-flexible writes it with every answer, it says when that is renewed.
    if (!words.retryAfterMs || (words.remaining ?? 0) > 0) return;
    // It was neither too fast nor an outage, so nothing follows from it but the wait.
    await block({ why: ASKED, because: 'outage', headers, episode: NO_EPISODE });
  };

  return {
    /**
     * Waits for a permit, however long it takes; a block that ends early is noticed within a second. Rejects with
     * `STOPPED` when the signal is aborted first.
     */
    take: (signal: AbortSignal): Promise<Permit> => permitQueue.take(signal),

    /** A permit that may be used at this very moment, where there is one to spare; nothing where one would have to wait. */
    takeNow: (): Permit | undefined => permitQueue.takeNow(),

    /** The service took a call, whatever it said to it: its limit let it through. It costs no trip to Redis of its own. */
    answered: (headers: AnswerHeaders = {}): Promise<void> => obey(headers, 1),

    /** A call was answered by something that may not be the service: only what it wishes counts. */
    obey: (headers: AnswerHeaders): Promise<void> => obey(headers, 0),

    /**
     * Stops the calls of all processes: for as long as the service asked, else for a wait that doubles while nothing gets
     * through. A 429 of a call whose permit came before the present episode changes nothing unless it asks.
     */
    block,

    /** Asks how the pace stands, for a process in which nobody waits for a permit. */
    async look(): Promise<PaceState> {
      await ask(0).catch((error) => log.debug({ err: error }, 'the pace cannot be looked at'));
      return state;
    },

    /** The pace as this process saw it last. */
    state: (): PaceState => state,
  };
}

/** What the present flow takes in so many seconds is had at hand: two thirds of what is handed out ahead. */
const SPARE_S = 0.016;
/** Where permits come so slowly, each is waited for: one that nobody takes would be missed. */
const SPARE_FROM_PER_S = 200;
/** Where a limit is known, only far below it: permits that nobody takes are lost to the fleet. */
const SPARE_BELOW_LIMIT = 2;

/** How many permits may be had to spare, by what is known of the pace: plenty while no limit was met, since it only grows then. */
function sparePermits({ phase, isLimiting, blocked, ratePerS, flowPerS }: PaceState): number {
  if (blocked || flowPerS < SPARE_FROM_PER_S) return 0;
  if (phase !== 'start' && (isLimiting || ratePerS < SPARE_BELOW_LIMIT * flowPerS)) return 0;
  return Math.ceil(flowPerS * SPARE_S);
}

/** Of a call that opens no episode, whichever is the present one. */
const NO_EPISODE = -1;

const ASKED = 'the service asked to wait';

/** Reads answers' headers by the service's clock, as these answers show it. */
function makeWordsReader(log: Log): (headers: AnswerHeaders) => LimitWords {
  const theirClock = makeTheirClock();
  let saidCapped = false;
  let dateBefore: AnswerHeaders[string];
  return (headers) => {
    // Of the answers of one second the first is the furthest ahead: the others say nothing new of their clock.
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
