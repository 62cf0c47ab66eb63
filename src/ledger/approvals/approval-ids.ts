import type { RedisConnection } from '../../lua-script.ts';
import type { Approval, ApprovalKind } from '../schema/approval.ts';
import { type ApprovalId, approvalIdOf } from '../schema/approval-id.ts';
import type { Keys } from '../schema/keys.ts';

/** Which approvals there are, by their ids. */
export function makeApprovalIds({ connection, keys }: { connection: RedisConnection; keys: Keys }) {
  return {
    /** The approvals that wait for a person, the oldest first. */
    async waitingIds(): Promise<ApprovalId[]> {
      return (await connection.zrange(keys.approvals, '0', '-1')).map(approvalIdOf);
    },

    /** How many wait for a person. */
    waitingCount: (): Promise<number> => connection.zcard(keys.approvals),

    /** What was answered and is not carried out yet: of one that died in the middle, others go on with it. */
    async answered(): Promise<ApprovalId[]> {
      return (await connection.zrange(keys.approvalsAnswered, '0', '-1')).map(approvalIdOf);
    },

    /** Those of a portfolio, however many there were, that are not complete: somebody is at it, or was killed. */
    async open(portfolio: string): Promise<Pick<Approval, 'id' | 'kind' | 'askedMs'>[]> {
      const ids = await connection.zrange(keys.approvalsOf(portfolio), '0', '-1');
      const found = await Promise.all(
        ids.map((id) => connection.hmget(keys.approval(id), 'standing', 'kind', 'asked')),
      );
      return found.flatMap(([standing, kind, asked], place) =>
        standing === 'open' ? [{ id: ids[place] ?? '', kind: kind as ApprovalKind, askedMs: Number(asked) }] : [],
      );
    },
  };
}
