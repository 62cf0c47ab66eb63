import type { Keys } from '../ledger/schema/keys.ts';
import type { RedisConnection } from '../lua-script.ts';
import type { NoticeLimits } from './limits.ts';

/** What the outbox of an account needs; its keys are in one slot. */
export type OutboxStore = {
  connection: RedisConnection;
  keys: Pick<Keys, 'account' | 'noticeStates' | 'notice' | 'noticesLately' | 'outbox' | 'outboxFault'>;
  limits: NoticeLimits;
};
