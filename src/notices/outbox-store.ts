import type { Keys } from '../ledger/schema/keys.ts';
import { makeLuaScript, type RedisConnection } from '../lua-script.ts';
import { DAY_MS, HOUR_MS } from '../time-units.ts';

/** The parts from which the outbox of an account is made; all of its keys are in one slot of a Redis cluster. */
export type OutboxStore = {
  connection: RedisConnection;
  keys: Pick<Keys, 'account' | 'noticeStates' | 'notice' | 'noticesLately' | 'outbox' | 'outboxFault'>;
  limits: typeof NOTICE_LIMITS;
};

/** How long notices are tried and kept, in ms of the server's clock, and how many. */
export const NOTICE_LIMITS = {
  /** How long an attempt to send a notice belongs to its process: longer than any attempt takes (webhook.ts, mail.ts). */
  leaseMs: 90_000,
  /** Age at which a notice is given up: a weekend and a day. */
  giveUpMs: 3 * DAY_MS,
  /** How long a notice of the age `giveUpMs` is still tried before it is given up: a process that returns after a week still sends it. */
  graceMs: HOUR_MS,
  /** How long a notice is kept after it was delivered or given up on all channels. */
  keepMs: 30 * DAY_MS,
  /** Most notices that are kept for the list of the latest ones. */
  listed: 500,
  /** Most notices that may wait on a channel, some 1.5 kB each: nobody would read more. */
  waiting: 5_000,
};

export function noticeScript(connection: RedisConnection, name: string) {
  return makeLuaScript(connection, new URL(`./lua/notices.lua#${name}`, import.meta.url));
}
