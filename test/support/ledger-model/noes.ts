import type { ModelApproval, ModelRow } from './state.ts';

/** What is known of requests, in whichever portfolio: the approvals that each joined, and the one by which a person said no to it. */
export function makeNoes({
  approvals,
  rowOf,
}: {
  approvals: ReadonlyMap<string, ModelApproval>;
  rowOf: (name: string, key: string) => ModelRow | undefined;
}) {
  const [asks, declined] = [new Map<string, string[]>(), new Map<string, string>()];
  return {
    declined,

    /** A row comes to wait for an approval; what is said of a held call says nothing of the request. */
    joins(key: string, id: string): void {
      if (approvals.get(id)?.kind !== 'answer') asks.set(key, [...(asks.get(key) ?? []), id]);
    },

    /** The approval by which a person said no to a request, also while that is not carried out yet. */
    declinedBy(key: string): string | undefined {
      const isLeft = (asked: string): boolean => {
        const approval = approvals.get(asked);
        const row = approval && rowOf(approval.portfolio, key);
        return row?.state === 'awaiting' && row.approval === asked && approval?.standing === 'declined';
      };
      return declined.get(key) ?? asks.get(key)?.find(isLeft);
    },
  };
}
