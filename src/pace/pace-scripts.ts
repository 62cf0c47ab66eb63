import { makeLuaScript, type RedisConnection } from '../lua-script.ts';
import type { Untold } from './limit-headers.ts';
import { type BlockedBy, type PaceState, readPhase } from './pace-words.ts';
import type { Grant } from './permit-queue.ts';
import { namedArgs, readNamedFields } from './read-pace.ts';

/** Initial rate, in calls a second: low for any service that is meant for machines, and doubled every 0.2 s. */
const FIRST_RATE_PER_S = 20;

/** The first wait after an outage if the service states none; it doubles up to the longest wait. */
const FIRST_WAIT_MS = 250;
/** The longest wait that the service did not state, in ms: one that is back after an outage is noticed within this time. */
export const LONGEST_UNSTATED_WAIT_MS = 4_000;

/** Interval in ms of the single calls that try a blocked service. */
const PROBE_INTERVAL_MS = 250;

/**
 * Share of the ceiling that is used. The ceiling must hold in every second as the service counts them. The rest is room for calls that an
 * overloaded machine sends 50 ms late, so that they count in the next second.
 */
const CEILING_MARGIN = 0.95;

/**
 * Permits are handed out this far ahead: one round trip serves many calls, and after one process reaches the limit, the others send at most
 * 25 ms' worth more.
 */
const AHEAD_MS = 25;

/** The answer of lua/take.lua: permits, when they are due, and the pace's state. */
type PermitsTaken = Omit<Grant, 'strict'> & { isProbing: boolean; state: PaceState };

/** The arguments of lua/block.lua, explained there. */
type BlockRequest = {
  askedMs: number;
  isLimit: boolean;
  mayBeLimit: boolean;
  why: string;
  because: BlockedBy;
  episode: number;
  accepted: number;
  limit: number | undefined;
};

/**
 * The scripts that change the pace, with typed arguments and answers.
 *
 * @param ceilingPerS calls a second that all processes together never exceed
 */
export function makePaceScripts(given: { connection: RedisConnection; key: string; ceilingPerS: number | undefined }) {
  const { connection, key, ceilingPerS } = given;
  const script = (name: string) => makeLuaScript(connection, new URL(`./lua/${name}.lua`, import.meta.url));
  const [takePermits, blockPermits] = [script('take'), script('block')];
  const ceiling = ceilingPerS === undefined ? 0 : ceilingPerS * CEILING_MARGIN;
  const firstRate = ceiling > 0 ? Math.min(FIRST_RATE_PER_S, ceiling) : FIRST_RATE_PER_S;

  return {
    firstRatePerS: firstRate,
    hasCeiling: ceiling > 0,

    /** Requests permits, and reports what responses have said. */
    async take(wanted: number, { accepted, words }: Untold): Promise<PermitsTaken> {
      const args = {
        wanted,
        ceiling,
        aheadUs: AHEAD_MS * 1_000,
        probeEveryUs: PROBE_INTERVAL_MS * 1_000,
        firstRate,
        accepted,
        limit: words.limit ?? -1,
        remaining: words.remaining ?? -1,
        resetUs: words.resetMs === undefined ? -1 : Math.round(words.resetMs * 1_000),
        windowS: words.windowS ?? -1,
      };
      const answer = readNamedFields(await takePermits([key], namedArgs(args)));
      const permits = answer.number('permits');
      const firstMs = answer.number('firstUs') / 1_000;
      const why = answer.text('why');
      const ratePerS = answer.number('ratePerS');
      const state: PaceState = {
        phase: readPhase(answer.text('phase')),
        ratePerS,
        flowPerS: answer.number('flowPerS'),
        isLimiting: answer.flag('limits'),
        atCeiling: ceiling > 0 && ratePerS >= ceiling - 0.01,
        blocked:
          permits === 0 && why !== ''
            ? { why, because: answer.text('because'), untilMs: Date.now() + firstMs }
            : undefined,
      };
      const betweenMs = answer.number('betweenUs') / 1_000;
      const [episode, crowds, isProbing] = [answer.number('episode'), answer.flag('crowds'), answer.flag('probing')];
      return { permits, firstMs, betweenMs, episode, crowds, isProbing, state };
    },

    /** Stops all permits. Returns the wait, and whether this call is the first of its episode to do so. */
    async block(request: BlockRequest): Promise<{ waitMs: number; isFirst: boolean }> {
      const args = {
        askedUs: Math.round(request.askedMs * 1_000),
        isLimit: request.isLimit ? 1 : 0,
        mayBeLimit: request.mayBeLimit ? 1 : 0,
        firstWaitUs: FIRST_WAIT_MS * 1_000,
        longestWaitUs: LONGEST_UNSTATED_WAIT_MS * 1_000,
        why: request.why,
        because: request.because,
        episode: request.episode,
        firstRate,
        accepted: request.accepted,
        limit: request.limit ?? -1,
        // Random, so that a service overrun by many clients does not meet all of them again at one moment.
        jitter: Math.random(),
      };
      const answer = readNamedFields(await blockPermits([key], namedArgs(args)));
      return { waitMs: answer.number('waitUs') / 1_000, isFirst: answer.flag('isFirst') };
    },
  };
}
