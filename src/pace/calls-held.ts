import { CALL_KINDS, type CallKind } from '../call-kind.ts';
import type { RedisConnection } from '../lua-script.ts';
import { tellsOfOwnFault } from './breaker-words.ts';
import type { BlockedBy } from './pace-words.ts';

/** The reasons that stop the calls of all processes, and whether any call passed; read by periodic checks, which make no calls themselves. */
export type CallsHeld = {
  /** The present time by the server's clock, in ms. All times of this type are by that clock. */
  nowMs: number;
  /** All calls that the service accepted so far; it grows while calls pass. */
  accepted: number;
  /** The latest wait of all calls, which may be over, and whether a call passed since it began; always false if the service asked for it. */
  blocked: { by: BlockedBy; untilMs: number; gotThrough?: boolean } | undefined;
  /**
   * Kinds of calls whose breaker is tripped, without those that a fault of our own installation tripped. `probeMs`: when the next probe is
   * due. `isTried`: one is in flight.
   */
  tripped: readonly CallKind[];
  probeMs: number;
  isTried: boolean;
  /** When a breaker was last reset, in ms of the server's clock. */
  resetMs: number;
};

/** Reads the pace (lua/pace-state.lua) and the breakers (lua/breaker-state.lua), and changes nothing. */
export async function readCallsHeld(
  connection: RedisConnection,
  keys: { pace: string; breakers: string },
): Promise<CallsHeld> {
  const [[accepted, until, because, strikes], [dueAt, leaseUntil, openedAt, ...whys], [seconds, micros]] =
    await Promise.all([
      connection.hmget(keys.pace, 'accepted', 'until', 'because', 'strikes'),
      connection.hmget(keys.breakers, 'dueAt', 'leaseUntil', 'openedAt', ...CALL_KINDS.map((kind) => `shut:${kind}`)),
      connection.time(),
    ]);
  const nowMs = Math.floor(Number(seconds) * 1_000 + Number(micros) / 1_000);
  const by = BLOCKED_BY.find((one) => one === because);
  const gotThrough = by !== 'asked' && Number(strikes ?? 0) === 0;
  return {
    nowMs,
    accepted: Number(accepted ?? 0),
    blocked: by && { by, untilMs: Number(until ?? 0) / 1_000, gotThrough },
    tripped: CALL_KINDS.filter((_kind, place) => whys[place] && !tellsOfOwnFault(whys[place])),
    probeMs: Number(dueAt ?? 0) / 1_000,
    isTried: Number(leaseUntil ?? 0) / 1_000 > nowMs,
    resetMs: Number(openedAt ?? 0) / 1_000,
  };
}

const BLOCKED_BY = [
  'limit',
  'outage',
  'credentials',
  'replicas',
  'memory',
  'asked',
] as const satisfies readonly BlockedBy[];
