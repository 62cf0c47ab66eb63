import { describeBlock, describeTripped, type Tripped } from './breaker-words.ts';

/** The pace as text for a viewer. While no calls are made, it is the pace that the next call will have. */
export function describeLearned(state: PaceState, nowMs: number = Date.now()): string {
  const words = describePace(state, nowMs);
  if (words !== '') return words;
  return state.phase === 'start' ? '' : `no call leaves now; the service last accepted ${rate(state.ratePerS)}`;
}

/** The pace as text for people, such as "at the service's limit, 98 calls/s"; empty while no calls are made. */
export function describePace(state: PaceState, nowMs: number = Date.now()): string {
  const { blocked, tripped = [], paused = [] } = state;
  // Always shown, since only a person can resume these queues.
  const waits = paused.map(
    (queue) => `the queue ${queue} is paused; let it go on with: npx limitline resume --queue ${queue}`,
  );
  if (blocked && blocked.untilMs > nowMs) return [...waits, describeBlock(blocked, nowMs)].join('; ');
  if (tripped.length > 0) waits.push(describeTripped(tripped, nowMs));
  // Calls of other kinds may go on meanwhile.
  if (waits.length > 0 && state.flowPerS < 0.05) return waits.join('; ');
  return [...waits, describeFlow(state)].filter(Boolean).join('; ');
}

function describeFlow({ isLimiting, atCeiling, phase, ratePerS, flowPerS }: PaceState): string {
  if (isLimiting && atCeiling) return `at the highest rate that is set, ${rate(ratePerS)}`;
  // Before the first response the pace is only the initial rate. While the limit is being found, the allowed rate changes with each call,
  // so the accepted rate is shown.
  if (isLimiting && phase === 'start') return flowPerS < 0.05 ? '' : `finding the service's limit, ${rate(flowPerS)}`;
  if (isLimiting) return `at the service's limit, ${rate(ratePerS)}`;
  return flowPerS < 0.05 ? '' : `as fast as the service answers, ${rate(flowPerS)} reached`;
}

function rate(perS: number): string {
  if (perS < 1) return `${Math.round(perS * 60)} calls a minute`;
  return `${perS < 10 ? perS.toFixed(1) : Math.round(perS)} calls/s`;
}

/**
 * Whether calls wait some seconds because the service accepts only so many at a time. That is a part of ordinary work, and nobody need be
 * warned of it.
 */
export function isOrdinaryWait({ because, untilMs }: NonNullable<PaceState['blocked']>, nowMs: number): boolean {
  return (because === 'limit' || because === 'asked') && untilMs - nowMs < ORDINARY_MS;
}

/** The longest wait, in ms, that a service's limit for each second or some seconds causes. */
const ORDINARY_MS = 10_000;

/** Calls sent for a portfolio up to one moment. */
type Seen = { atMs: number; calls: number };

/**
 * Time over which a portfolio's calls are averaged, in ms: it covers whole windows of most services. Over less than LEAST_MS no mean is
 * given.
 */
const LOOKED_BACK_MS = 30_000;
const LEAST_MS = 2_000;

/** The counts of so many portfolios are kept at most. People have fewer portfolios open in the console at once. */
const MOST_PORTFOLIOS = 200;

/** Calls a second of each portfolio, from counts that pages read anyway. Nothing is kept of a portfolio that nobody views. */
export function makeOwnPace() {
  const seen = new Map<string, Seen[]>();
  return {
    /**
     * Notes the calls sent for a portfolio so far. Returns its recent calls a second; undefined for the first seconds.
     *
     * @param startedMs when its first line came, before any call
     */
    note(name: string, calls: number, atMs: number, startedMs?: number): number | undefined {
      const known = seen.get(name) ?? (startedMs === undefined ? [] : [{ atMs: startedMs, calls: 0 }]);
      const before = known.filter((one) => one.atMs > atMs - LOOKED_BACK_MS && one.calls <= calls);
      const [first] = before;
      // Reinserted, so that the map begins with the portfolio that was viewed the longest ago.
      seen.delete(name);
      seen.set(name, [...before, { atMs, calls }]);
      const [oldest] = seen.keys();
      if (seen.size > MOST_PORTFOLIOS && oldest !== undefined) seen.delete(oldest);
      if (!first || atMs - first.atMs < LEAST_MS) return undefined;
      return (calls - first.calls) / ((atMs - first.atMs) / 1_000);
    },
  };
}

const PHASES = ['start', 'search', 'hold'] as const;

/** A window that the service states: its calls, the calls left, its length and its end. */
export type ToldWindow = { calls: number; left: number; lengthMs: number; endsMs: number };

/** The state of a pace, shared by all processes, at one moment. */
export type PaceState = {
  /** `start`: doubles; `search`: climbs; `hold`: stays and tries more now and then (lua/raise-rate.lua). */
  phase: (typeof PHASES)[number];
  /** Calls a second that may leave, and those accepted lately. */
  ratePerS: number;
  flowPerS: number;
  /** Whether the pace limits the calls, and whether SERVICE_RATE_PER_S limits the pace. */
  isLimiting: boolean;
  atCeiling: boolean;
  blocked: { why: string; untilMs: number; because?: string } | undefined;
  /** All calls accepted so far; only if read from Redis. */
  accepted?: number;
  /** Calls a second that the service states, or 0; only if read from Redis. */
  statedPerS?: number;
  /** Whether the service ever stated a window; only if read from Redis. */
  tellsWindows?: boolean;
  /** A window that will be used up before its end, by the service's headers; only if read from Redis. */
  window?: ToldWindow | undefined;
  /** Kinds of call with a tripped breaker. */
  tripped?: readonly Tripped[];
  /** Queues that a person paused. */
  paused?: readonly string[];
};

/**
 * Why nothing leaves for a while. `limit`: calls came too fast; `outage`: no service; `credentials`: refused; `replicas`: no replica of
 * Redis confirms claims; `memory`: Redis is nearly full; `asked`: a response's header asks for it, whatever its status.
 */
export type BlockedBy = 'limit' | 'outage' | 'credentials' | 'replicas' | 'memory' | 'asked';

/** @throws TypeError if there is no such phase */
export function readPhase(text: string): PaceState['phase'] {
  const phase = PHASES.find((one) => one === text);
  if (!phase)
    throw new TypeError(`Redis names the phase ${text} of the pace, which this version of Limitline does not know.`);
  return phase;
}
