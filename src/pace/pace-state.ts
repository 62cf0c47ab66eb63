import type { Tripped } from './breaker-words.ts';

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
