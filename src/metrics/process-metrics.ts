import { Counter, collectDefaultMetrics, Gauge, Histogram, type Registry } from '@prometheus-io/client';
import { CALL_KINDS, type CallKind, type CallOutcome } from '../call-kind.ts';
import { tellsOfOwnFault } from '../pace/breaker-words.ts';
import type { PaceState } from '../pace/pace-words.ts';
import { NEARLY_FULL } from '../redis-memory/memory.ts';

/** The meanings of a response to a call; `unauthorized` leads to a new token and another attempt. */
const MEANINGS = ['made', 'not ours', 'refused', 'throttled', 'unreachable', 'unknown', 'unauthorized'] as const;
export type Meaning = Extract<CallOutcome['is'], (typeof MEANINGS)[number]>;

/**
 * The buckets of the histogram of calls' durations, in s. A call ends within SERVICE_TIMEOUT_MS, 30 s by default, and mostly within a
 * second.
 */
const BUCKETS_S = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

export type CallMetrics = ReturnType<typeof makeCallMetrics>;

/** Counts what this process has sent; a dashboard adds up the processes. */
export function makeCallMetrics(registry: Registry) {
  const registers = [registry];
  const calls = new Counter({
    name: 'limitline_calls_total',
    help: 'Calls that this process sent, by kind and by what the answer means.',
    labelNames: ['kind', 'meaning'] as const,
    registers,
  });
  const latency = new Histogram({
    name: 'limitline_call_duration_seconds',
    help: 'Time from sending a call to its whole answer, by kind. Calls that never left are not in it.',
    labelNames: ['kind'] as const,
    buckets: BUCKETS_S,
    registers,
  });
  const tokens = new Counter({
    name: 'limitline_token_calls_total',
    help: 'Token calls that this process made: renewals, and tries while a circuit breaker is tripped.',
    registers,
  });
  const rows = new Counter({
    name: 'limitline_rows_ended_total',
    help: 'Rows that this process brought to their end at a step, by state.',
    labelNames: ['state'] as const,
    registers,
  });
  for (const kind of CALL_KINDS) {
    latency.zero({ kind });
    // Counters begin at 0, since one that begins with its first event would show no increase.
    for (const meaning of MEANINGS) calls.inc({ kind, meaning }, 0);
  }
  return {
    /** Counts a call that ended after `durationMs`, with a response or without. */
    called(kind: CallKind, meaning: Meaning, durationMs: number): void {
      calls.inc({ kind, meaning });
      if (meaning !== 'unreachable') latency.observe({ kind }, durationMs / 1_000);
    },
    tokenCalled: (): void => tokens.inc(),
    rowEnded: (state: string): void => rows.inc({ state }),
  };
}

/** Interval of the check whether calls are held back, which is the accuracy of the counted seconds. */
const LOOK_EVERY_MS = 500;

/**
 * Counts the seconds in which each reason holds calls of this process back, and its calls in flight.
 *
 * @returns a function that ends the counting
 */
export function startWaitMetrics(
  registry: Registry,
  { paceNow, inFlight }: { paceNow: () => PaceState; inFlight: () => number },
): () => void {
  const blocked = new Counter({
    name: 'limitline_blocked_seconds_total',
    help: 'Seconds in which something held calls of this process back, by reason. A second with two reasons counts for both.',
    labelNames: ['reason'] as const,
    registers: [registry],
  });
  new Gauge({
    name: 'limitline_calls_in_flight',
    help: 'Calls of this process that wait for their answer.',
    registers: [registry],
    collect() {
      this.set(inFlight());
    },
  });
  for (const reason of BLOCK_REASONS) blocked.inc({ reason }, 0);
  let beforeMs = performance.now();
  const timer = setInterval(() => {
    const nowMs = performance.now();
    for (const reason of blockedNow(paceNow())) blocked.inc({ reason }, (nowMs - beforeMs) / 1_000);
    beforeMs = nowMs;
  }, LOOK_EVERY_MS).unref();
  return () => clearInterval(timer);
}

/** Metrics of the process itself: memory, CPU time, event loop, build. */
export function addProcessMetrics(registry: Registry, { version, role }: { version: string; role: string }): void {
  collectDefaultMetrics({ register: registry });
  const info = new Gauge({
    name: 'limitline_build_info',
    help: 'Always 1; its labels say which build this process is, and what it does.',
    labelNames: ['version', 'node', 'role'] as const,
    registers: [registry],
  });
  info.set({ version, node: process.version, role }, 1);
}

/**
 * Why calls are held back.
 *
 * - `asked`, `too fast`: the service asked to wait, or rejected calls as too fast.
 * - `outage`: the service cannot be reached, or rejects the credentials.
 * - `memory`, `older`: the memory of Redis is nearly full, or Redis is older than what was sent.
 * - `unknown outcome`: the outcomes of the last calls of a kind are unknown.
 * - `data folder`, `paused queue`: the data folder cannot be reached, or a person paused a queue.
 */
export const BLOCK_REASONS = [
  'asked',
  'too fast',
  'outage',
  'memory',
  'older',
  'unknown outcome',
  'data folder',
  'paused queue',
] as const;
type BlockReason = (typeof BLOCK_REASONS)[number];

/** The reasons that hold calls back now; pure. It maps reasons, which are written for people, to a few labels. */
export function blockedNow({ blocked, tripped = [], paused = [] }: PaceState, nowMs = Date.now()): Set<BlockReason> {
  const reasons = new Set<BlockReason>();
  if (blocked && blocked.untilMs > nowMs) reasons.add(reasonOf(blocked.why));
  for (const { why } of tripped) reasons.add(tellsOfOwnFault(why) ? 'data folder' : 'unknown outcome');
  if (paused.length > 0) reasons.add('paused queue');
  return reasons;
}

function reasonOf(why: string): BlockReason {
  if (why === 'the service asked to wait') return 'asked';
  if (why.startsWith(NEARLY_FULL)) return 'memory';
  return why === 'the service says too fast' ? 'too fast' : 'outage';
}
