import { Counter, collectDefaultMetrics, Gauge, Histogram, type Registry } from '@prometheus-io/client';
import type { CallKind } from '../call-kind.ts';
import { CALL_KINDS } from '../call-kind.ts';
import type { Outcome } from '../outcome.ts';
import type { PaceState } from '../pace/pace-state.ts';
import { BLOCK_REASONS, blockedNow } from './block-reasons.ts';

/** What an answer may mean. `unauthorized` is none of the six, and a new token follows it. */
const MEANINGS = ['made', 'not ours', 'refused', 'throttled', 'unreachable', 'unknown', 'unauthorized'] as const;
export type Meaning = Extract<Outcome['is'], (typeof MEANINGS)[number]>;

/** A call is over within the limit of SERVICE_TIMEOUT_MS, 30 s by default; most take less than a second. */
const BUCKETS_S = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

export type CallMetrics = ReturnType<typeof makeCallMetrics>;

/** What this process has sent. Only this process counts it, so that a dashboard can add up the processes. */
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
    help: 'From sending a call to its whole answer, by kind; those that never left are not in it.',
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
    // A counter that comes into being with its first event shows no increase at it.
    for (const meaning of MEANINGS) calls.inc({ kind, meaning }, 0);
  }
  return {
    /** Counts a call that was answered, or was not, after this many ms. */
    called(kind: CallKind, meaning: Meaning, durationMs: number): void {
      calls.inc({ kind, meaning });
      if (meaning !== 'unreachable') latency.observe({ kind }, durationMs / 1_000);
    },
    tokenCalled: (): void => tokens.inc(),
    rowEnded: (state: string): void => rows.inc({ state }),
  };
}

/** How often is looked whether calls are held back; what begins and ends in between is counted by halves. */
const LOOK_EVERY_MS = 500;

/**
 * What holds the calls of this process back, second by second, and how many are in flight.
 *
 * @returns a function that ends the counting
 */
export function startWaitMetrics(
  registry: Registry,
  { paceNow, inFlight }: { paceNow: () => PaceState; inFlight: () => number },
): () => void {
  const blocked = new Counter({
    name: 'limitline_blocked_seconds_total',
    help: 'Seconds in which something held calls of this process back, by reason; two reasons at a time count both.',
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

/** What every process exports about itself: memory, time, event loop, build. */
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
