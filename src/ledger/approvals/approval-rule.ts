import { isDeepStrictEqual } from 'node:util';
import type { RedisConnection } from '../../lua-script.ts';
import { type ApprovalPolicy, stricterOf } from '../schema/approval.ts';
import { ledgerScript } from '../schema/gated-script.ts';
import type { Keys } from '../schema/keys.ts';

type RuleChange = { before: ApprovalPolicy; after: ApprovalPolicy };

/** Fields of the account's hash that hold its approval rule; rare-moves.lua reads these fields too. */
const FIELDS = ['approve:always', 'approve:above', 'approve:person', 'approve:days', 'approve:inbox'] as const;

/**
 * The approval rule of an account. The ledger keeps the rule of the serving processes, and the settings of any other process can only make
 * it stricter.
 *
 * @param given.own the policy of this process' settings
 */
export function makeApprovalRule(given: {
  connection: RedisConnection;
  keys: Pick<Keys, 'account'>;
  own: ApprovalPolicy;
}) {
  const { connection, keys, own } = given;
  const put = ledgerScript(connection, 'general#change-fields');
  /** Writes the rule and answers the old one in one step, so that of several processes with the same change only one sees it. */
  async function replace(policy: ApprovalPolicy): Promise<ApprovalPolicy> {
    const changes = textsOf(policy).flatMap((text, place) => [text ? 'HSET' : 'HDEL', FIELDS[place] ?? '', text ?? '']);
    return policyIn((await put({ hash: keys.account }, { changes })) as Kept);
  }

  const kept = async () => policyIn((await connection.hmget(keys.account, ...FIELDS)) as Kept);

  return {
    /** The policy of this process' settings. */
    own,

    /** The stricter of this process' settings and the ledger's present rule. */
    async now(): Promise<ApprovalPolicy> {
      return stricterOf(own, await kept());
    },

    /**
     * Makes this process' settings the rule of the account, or the stricter of them and those of other serving processes that run. Serving
     * processes call this as they start. `onChange` is called if the rule changes, once even if several processes bring the same change. If
     * it throws, the old rule is restored.
     *
     * @param running the policies of the others; undefined where one is not known: then the old rule counts as its policy
     * @returns whether the rule is this process' own policy
     */
    async keep(
      onChange: (change: RuleChange) => Promise<void>,
      running: readonly (ApprovalPolicy | undefined)[] = [],
    ): Promise<boolean> {
      const present = await kept();
      const after = running.reduce<ApprovalPolicy>((rule, other) => stricterOf(rule, other ?? present), own);
      const isSame = (one: ApprovalPolicy, other: ApprovalPolicy) => isDeepStrictEqual(textsOf(one), textsOf(other));
      if (!isSame(present, after)) {
        const before = await replace(after);
        try {
          if (!isSame(before, after)) await onChange({ before, after });
        } catch (error) {
          await replace(before);
          throw error;
        }
      }
      return isSame(after, own);
    },
  };
}

type Text = string | null;
type Kept = [always: Text, above: Text, person: Text, days: Text, inbox: Text];

/** The texts in which a policy is stored, in the order of FIELDS; null for a field that is deleted. */
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
