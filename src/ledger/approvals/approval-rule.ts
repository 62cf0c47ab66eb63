import { isDeepStrictEqual } from 'node:util';
import { makeLuaScript, type RedisConnection } from '../../lua-script.ts';
import { type ApprovalPolicy, stricterOf } from '../schema/approval.ts';
import type { Keys } from '../schema/keys.ts';

/** The account's approval rules before and after a change. */
export type RuleChange = { before: ApprovalPolicy; after: ApprovalPolicy };

/** Fields of the account's hash; rare-moves.lua reads them too. */
const FIELDS = ['approve:always', 'approve:above', 'approve:person', 'approve:days', 'approve:inbox'] as const;

/**
 * Keeps the approval rules of an account. The processes that run workers or the console write their settings to the ledger; the settings of
 * any other process can only make the rules stricter.
 *
 * @param given.own the rules in this process' settings
 */
export function makeApprovalRule({
  connection,
  keys,
  own,
}: {
  connection: RedisConnection;
  keys: Pick<Keys, 'account'>;
  own: ApprovalPolicy;
}) {
  const put = makeLuaScript(connection, new URL('../lua/change-fields.lua', import.meta.url));
  /** Writes the rules and returns the earlier ones in one step. If several processes make the same change at once, one of them sees it. */
  async function replace(policy: ApprovalPolicy): Promise<ApprovalPolicy> {
    const changes = textsOf(policy).flatMap((text, place) => [text ? 'HSET' : 'HDEL', FIELDS[place] ?? '', text ?? '']);
    return policyIn((await put({ hash: keys.account }, { changes })) as Kept);
  }

  const kept = async () => policyIn((await connection.hmget(keys.account, ...FIELDS)) as Kept);

  return {
    /** The stricter of this process' settings and the ledger's rules at this moment. */
    async now(): Promise<ApprovalPolicy> {
      return stricterOf(own, await kept());
    },

    /**
     * Writes this process' settings as the account's rules; workers and the console do so as they start. A change is passed to `onChange`,
     * once even if several processes make it at once. If `onChange` throws, the earlier rules are written back.
     */
    async keep(onChange: (change: RuleChange) => Promise<void>): Promise<void> {
      const isOwn = (policy: ApprovalPolicy) => isDeepStrictEqual(textsOf(policy), textsOf(own));
      if (isOwn(await kept())) return;
      const before = await replace(own);
      if (isOwn(before)) return;
      try {
        await onChange({ before, after: own });
      } catch (error) {
        await replace(before);
        throw error;
      }
    },
  };
}

type Text = string | null;
type Kept = [always: Text, above: Text, person: Text, days: Text, inbox: Text];

/** In the order of the fields. */
function textsOf({ always, above, personAbove, windowDays, inboxApprovers }: ApprovalPolicy): Kept {
  return [
    always ? 'on' : 'off',
    above ?? null,
    personAbove ?? null,
    windowDays ? String(windowDays) : null,
    inboxApprovers ? JSON.stringify(inboxApprovers) : null,
  ];
}

function policyIn([always, above, person, days, inbox]: Kept): ApprovalPolicy {
  return {
    always: always === 'on',
    above: above ?? undefined,
    personAbove: person ?? undefined,
    windowDays: Number(days ?? 0),
    inboxApprovers: inbox === null ? undefined : JSON.parse(inbox),
  };
}
