import type { AnswerHeaders } from '../answer-headers.ts';
import type { Log } from '../log.ts';
import { makeLuaScript, type RedisConnection } from '../lua-script.ts';
import { type LimitWords, readDate, readLimitWords } from './limit-headers.ts';
import type { PaceState } from './pace-words.ts';
import { makeTheirClock } from './their-clock.ts';
import { type Grant, makeTurnstile, type Turn } from './turn-queue.ts';

export type Pace = ReturnType<typeof makePace>;

/** Why nothing leaves for a while, and what that says of the pace. */
export type Block = {
  why: string;
  /** `limit`: we were too fast, so the rate is cut. `outage`: nobody is there, which says nothing of the rate. */
  because: 'limit' | 'outage';
  /** A wait of our own wish; the service's own, in `headers`, goes before it. */
  askedMs?: number;
  headers?: AnswerHeaders;
  /** In which the call had its turn. */
  episode: number;
};

/** Calls a second to begin with: little for any service that is meant for machines, and doubled every 0.2 s. */
const FIRST_RATE_PER_S = 20;

/** The first wait after an outage without a wish of the service's, and how far doubling goes. */
const FIRST_WAIT_MS = 250;
/** A service that is back is noticed within this. */
const LONGEST_WAIT_MS = 4_000;

/** While the service is being tried again, one call at a time and no faster than this. */
const TRIAL_INTERVAL_MS = 250;

/**
 * A given ceiling must hold in every second as the service sees it, so the spacing leaves room for calls that arrive
 * 50 ms later than they were sent and so crowd the next second, as on a machine that is overloaded.
 */
const CEILING_MARGIN = 0.95;

/**
 * Turns are handed out this far ahead: one trip to Redis serves many calls, yet when one process meets the limit the
 * others send no more than 25 ms' worth into it.
 */
const AHEAD_MS = 25;

/** A line that nobody waits in tells what it has heard this often, and sooner while the rate doubles by it. */
const TELL_EVERY_MS = 250;
const TELL_AT_START_EVERY_MS = 25;

/**
 * One pace for all processes: when the next call may leave. Kept in Redis, on its clock; lua/raise-rate.lua is how the
 * service's limit is found.
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
  const script = (name: string) => makeLuaScript(connection, new URL(`./lua/${name}.lua`, import.meta.url));
  const [take, block] = [script('take'), script('block')];
  const ceiling = ceilingPerS === undefined ? 0 : ceilingPerS * CEILING_MARGIN;
  const firstRate = ceiling > 0 ? Math.min(FIRST_RATE_PER_S, ceiling) : FIRST_RATE_PER_S;
  let state: PaceState = {
    ...{ phase: 'start', ratePerS: firstRate, flowPerS: 0, held: false, atCeiling: false, blocked: undefined },
  };
  const theirClock = makeTheirClock();
  let onTrial = false;
  let cappedSaid = false;
  let telling: NodeJS.Timeout | undefined;
  let heard = nothingHeard();

  const ask = async (wanted: number): Promise<Grant> => {
    const { accepted, words } = heard;
    heard = nothingHeard();
    const resetUs = words.resetMs === undefined ? -1 : Math.round(words.resetMs * 1_000);
    const answer = await take(
      [key],
      [
        ...[wanted, ceiling, AHEAD_MS * 1_000, TRIAL_INTERVAL_MS * 1_000, firstRate, accepted],
        ...[words.limit ?? -1, words.remaining ?? -1, resetUs, words.statedPerS ?? -1],
      ],
    ).catch((error) => {
      // What was heard is told with the next question.
      heard.accepted += accepted;
      throw error;
    });
    const [turns, firstUs, betweenUs, episode, trial, why, phase, rate, flow, held] = answer as TakeAnswer;
    const firstMs = firstUs / 1_000;
    onTrial = trial === 1;
    const ratePerS = Number(rate);
    const atCeiling = ceiling > 0 && ratePerS >= ceiling - 0.01;
    const blocked = turns === 0 && why !== '' ? { why, untilMs: Date.now() + firstMs } : undefined;
    state = { phase, ratePerS, flowPerS: Number(flow), held: held === 1, atCeiling, blocked };
    return { turns, firstMs, betweenMs: betweenUs / 1_000, episode, strict: ceiling > 0 };
  };
  const turnstile = makeTurnstile(ask, (error) =>
    log.debug({ err: error }, 'the pace cannot be asked; trying until it can'),
  );

  const read = (headers: AnswerHeaders): LimitWords => {
    const words = readLimitWords(headers, theirClock.read(readDate(headers), Date.now()));
    if (words.capped && !cappedSaid) {
      cappedSaid = true;
      log.warn({ header: words.capped }, 'the service asks for a wait of more than an hour; an hour is kept');
    }
    return words;
  };

  /** Tells Redis what was heard, where no turn is asked for with which it could go. */
  const tell = async (): Promise<void> => {
    clearTimeout(telling);
    telling = undefined;
    if (heard.accepted === 0) return;
    await ask(0).catch((error) => log.debug({ err: error }, 'the pace cannot be told'));
  };

  const stop = async ({ why, because, askedMs = 0, headers = {}, episode }: Block): Promise<void> => {
    turnstile.recall();
    const words = read(headers);
    const wishMs = words.retryAfterMs ?? (because === 'limit' ? words.resetMs : undefined);
    const { accepted } = heard;
    heard = nothingHeard();
    const [waitUs, , opened] = (await block(
      [key],
      [
        ...[Math.round((wishMs ?? askedMs) * 1_000), because === 'limit' ? 1 : 0],
        ...[FIRST_WAIT_MS * 1_000, LONGEST_WAIT_MS * 1_000, wishMs === undefined ? why : ASKED],
        // Jitter, so that a service that many clients overran does not meet all of them again at one moment.
        ...[episode, firstRate, accepted, Math.random()],
      ],
    )) as [number, number, number];
    state = { ...state, blocked: { why: wishMs === undefined ? why : ASKED, untilMs: Date.now() + waitUs / 1_000 } };
    if (opened !== 1) return;
    const facts = { waitMs: Math.round(waitUs / 1_000), why };
    // Meeting the limit now and then is how it is followed, and no trouble.
    if (because === 'limit' && waitUs < LONGEST_WAIT_MS * 1_000) log.debug(facts, 'the limit was met');
    else log.warn(facts, `the line waits: ${why}`);
  };

  /** What an answer says of the limit, whatever its status; a `Retry-After` stops the line as it asks. */
  const hear = async (headers: AnswerHeaders, accepted: 0 | 1): Promise<void> => {
    const words = read(headers);
    heard = { accepted: heard.accepted + accepted, words: tighter(heard.words, words) };
    if (onTrial) await tell();
    else telling ??= setTimeout(tell, state.phase === 'start' ? TELL_AT_START_EVERY_MS : TELL_EVERY_MS).unref();
    // It was neither too fast nor an outage, so nothing follows from it but the wait.
    if (words.retryAfterMs) await stop({ why: ASKED, because: 'outage', headers, episode: NO_EPISODE });
  };

  return {
    /**
     * Waits for a turn, however long it takes; a block that ends early is noticed within a second. Rejects with
     * `STOPPED` when the signal is aborted first.
     */
    take: (signal: AbortSignal): Promise<Turn> => turnstile.take(signal),

    /** The service took a call, whatever it said to it: its limit let it through. It costs no trip to Redis of its own. */
    answered: (headers: AnswerHeaders = {}): Promise<void> => hear(headers, 1),

    /** A call was answered by something that may not be the service: only what it wishes counts. */
    heard: (headers: AnswerHeaders): Promise<void> => hear(headers, 0),

    /**
     * Stops the line for everybody: for as long as the service asked, else for a wait that doubles while nothing gets
     * through. A 429 of a call whose turn came before the present episode changes nothing unless it asks.
     */
    block: stop,

    /** Asks how the pace stands, for a process in which nobody waits for a turn. */
    async look(): Promise<PaceState> {
      await ask(0).catch((error) => log.debug({ err: error }, 'the pace cannot be looked at'));
      return state;
    },

    /** The pace as this process saw it last. */
    state: (): PaceState => state,
  };
}

/** Of a call that opens no episode, whichever is the present one. */
const NO_EPISODE = -1;

const ASKED = 'the service asked to wait';

type TakeAnswer = [
  ...[turns: number, firstUs: number, betweenUs: number, episode: number, trial: number, why: string],
  ...[phase: PaceState['phase'], rate: string, flow: string, held: number],
];

type WhatWasHeard = { accepted: number; words: LimitWords };

function nothingHeard(): WhatWasHeard {
  return { accepted: 0, words: {} };
}

/** Of two answers' words the ones that leave less; answers overtake each other, so the later is not the truer. */
function tighter(one: LimitWords, other: LimitWords): LimitWords {
  return (other.remaining ?? Number.POSITIVE_INFINITY) <= (one.remaining ?? Number.POSITIVE_INFINITY) ? other : one;
}

/** The pace of an account as it stands in Redis; nothing where no call has been made yet. */
export async function readPace(connection: RedisConnection, key: string): Promise<PaceState | undefined> {
  const [[phase, rate, flow, flowAt, until, why, heldAt], [seconds, micros]] = await Promise.all([
    connection.hmget(key, 'phase', 'rate', 'flow', 'flowAt', 'until', 'why', 'heldAt'),
    connection.time(),
  ]);
  if (!phase || !rate) return undefined;
  const nowUs = Number(seconds) * 1e6 + Number(micros);
  const leftMs = (Number(until) - nowUs) / 1_000;
  return {
    phase: phase as PaceState['phase'],
    ratePerS: Number(rate),
    // Counted in lua/raise-rate.lua: what was accepted fades with 0.6 s.
    flowPerS: Number(flow) * Math.exp((Number(flowAt) - nowUs) / 600_000),
    held: nowUs - Number(heldAt) < 2e6,
    atCeiling: false,
    blocked: leftMs > 0 ? { why: why ?? '', untilMs: Date.now() + leftMs } : undefined,
  };
}
