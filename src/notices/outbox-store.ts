import type { Keys } from '../ledger/schema/keys.ts';
import type { RedisConnection } from '../lua-script.ts';
import type { NoticeLimits } from './limits.ts';

/** Where the outbox of an account is kept; its keys are in one slot. */
export type OutboxStore = {
  connection: RedisConnection;
  keys: Pick<Keys, 'account' | 'noticeStates' | 'notice' | 'noticesLately' | 'outbox' | 'outboxFault'>;
  limits: NoticeLimits;
};
