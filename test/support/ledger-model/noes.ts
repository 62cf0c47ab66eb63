import type { ModelApproval, ModelRow } from './real-ledger.ts';

/**
 * What is known of requests in any portfolio: the approvals that each has joined, and the one by which a person
 * declined it.
 */
export function makeNoes(given: {
  approvals: ReadonlyMap<string, ModelApproval>;
  rowOf: (name: string, key: string) => ModelRow | undefined;
  isMade: (key: string) => boolean;
}) {
  const { approvals, rowOf, isMade } = given;
  const [asks, declined, yes] = [new Map<string, string[]>(), new Map<string, string>(), new Map<string, number>()];
  const turnOf = (id: string) => approvals.get(id)?.answered?.turn ?? 0;
  return {
    declined,

    /** A decline is carried out: it counts unless a later approval was granted. */
    isDeclined(key: string, id: string): void {
      if (turnOf(id) > (yes.get(key) ?? 0)) declined.set(key, id);
    },

    /** A granted approval is carried out: it withdraws earlier declines. */
    isWanted(key: string, id: string): void {
      yes.set(key, Math.max(turnOf(id), yes.get(key) ?? 0));
      if (turnOf(declined.get(key) ?? '') < turnOf(id)) declined.delete(key);
    },

    /** A row starts to wait for an approval. An approval of an answer to a held call says nothing about the request. */
    joins(key: string, id: string): void {
      if (approvals.get(id)?.kind !== 'answer') asks.set(key, [...(asks.get(key) ?? []), id]);
    },

    /** A row leaves the approval for which it waits, for any reason. A decline of that approval still counts. */
    leaves(name: string, key: string): void {
      const { state, approval: id = '' } = rowOf(name, key) ?? {};
      const { standing, kind } = approvals.get(id) ?? {};
      if (state === 'awaiting' && standing === 'declined' && kind !== 'answer' && !isMade(key))
        this.isDeclined(key, id);
    },

    /** The approval by which a person declined a request, also before the decline is carried out. */
    declinedBy(key: string): string | undefined {
      const isLeft = (asked: string): boolean => {
        const approval = approvals.get(asked);
        const row = approval && rowOf(approval.portfolio, key);
        const isLater = turnOf(asked) > (yes.get(key) ?? 0);
        return row?.state === 'awaiting' && row.approval === asked && approval?.standing === 'declined' && isLater;
      };
      return declined.get(key) ?? asks.get(key)?.find(isLeft);
    },
  };
}
