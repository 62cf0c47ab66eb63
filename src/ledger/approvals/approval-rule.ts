import type { RedisConnection } from '../../lua-script.ts';
import type { Keys } from '../keys.ts';
import { type ApprovalPolicy, NO_APPROVAL, stricterOf } from './approval.ts';

export type ApprovalRule = ReturnType<typeof makeApprovalRule>;

/** What the rule was, and what it is from now on. */
export type RuleChange = { before: ApprovalPolicy; after: ApprovalPolicy };

const FIELDS = ['approve:always', 'approve:above'] as const;

/**
 * What has to be approved in an account, whichever process acts: the ledger has the rule of those who serve, and settings of another
 * process may only be stricter. requeue.lua reads these fields too.
 *
 * @param given.own what this process' settings ask for
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
  /** Writes the rule and answers what it was, in one step, so that of several who change it alike one does. */
  async function replace({ always, above }: ApprovalPolicy): Promise<ApprovalPolicy> {
    const step = connection.multi().hmget(keys.account, ...FIELDS);
    step.hset(keys.account, 'approve:always', always ? 'on' : 'off');
    if (above === undefined) step.hdel(keys.account, 'approve:above');
    else step.hset(keys.account, 'approve:above', above);
    const answers = (await step.exec()) ?? [];
    for (const [fault] of answers) if (fault) throw fault;
    return policyIn(answers[0]?.[1] as Kept);
  }

  return {
    /** The stricter of this process' settings and the ledger's rule, as that is at this moment. */
    async now(): Promise<ApprovalPolicy> {
      return stricterOf(own, policyIn((await connection.hmget(keys.account, ...FIELDS)) as Kept));
    },

    /**
     * Makes this process' settings the rule of the account: for those who serve, as they start. A change is told to `onChange`, of
     * several that bring the same one at the same moment once; where it throws, the rule is again what it was.
     */
    async keep(onChange: (change: RuleChange) => Promise<void>): Promise<void> {
      const before = await replace(own);
      if (before.always === own.always && before.above === own.above) return;
      try {
        await onChange({ before, after: own });
      } catch (error) {
        await replace(before);
        throw error;
      }
    },
  };
}

type Kept = [always: string | null, above: string | null];

function policyIn([always, above]: Kept): ApprovalPolicy {
  if (always === null && above === null) return NO_APPROVAL;
  return { always: always === 'on', above: above ?? undefined };
}
