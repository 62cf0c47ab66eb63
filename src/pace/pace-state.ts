import type { Tripped } from './breaker-words.ts';

const PHASES = ['start', 'search', 'hold'] as const;

/** Calls of a whole window and of the rest of it, how long it is, and when it ends. */
export type ToldWindow = { calls: number; left: number; lengthMs: number; endsMs: number };

/** What is known of a pace: as its processes share it, at one moment. */
export type PaceState = {
  /** Doubles, climbs, or stays and looks up now and then; lua/raise-rate.lua says when. */
  phase: (typeof PHASES)[number];
  /** Calls a second that may leave, and that were accepted lately. */
  ratePerS: number;
  flowPerS: number;
  /** Whether the pace is what limits the calls, and whether a ceiling of the user's is what limits the pace. */
  isLimiting: boolean;
  atCeiling: boolean;
  blocked: { why: string; untilMs: number; because?: string } | undefined;
  /** Calls accepted in all, where it was read from Redis. */
  accepted?: number;
  /** Calls a second that the service states, likewise; 0 where it states none. */
  statedPerS?: number;
  /** Whether the service ever spoke of a window, likewise. */
  tellsWindows?: boolean;
  /** A window of which the service says that it will be used up before its end, likewise. */
  window?: ToldWindow | undefined;
  /** Kinds of call that do not leave, whatever the pace. */
  tripped?: readonly Tripped[];
  /** Queues from which nothing is taken up, since a person stopped them. */
  paused?: readonly string[];
};

/**
 * Why nothing leaves for a while: we were too fast, nobody is there, the credentials are refused, no replica of Redis confirms what
 * would be sent, its memory is nearly full, or the service asked for it in a header, whatever else its answer said.
 */
export type BlockedBy = 'limit' | 'outage' | 'credentials' | 'replicas' | 'memory' | 'asked';

/** @throws TypeError where there is no such phase */
export function readPhase(text: string): PaceState['phase'] {
  const phase = PHASES.find((one) => one === text);
  if (!phase) throw new TypeError(`A pace has no phase ${text}.`);
  return phase;
}
