import type { Approvals } from '../../src/ledger/approvals/approvals.ts';
import type { ImportedFile } from '../../src/ledger/portfolios/imports.ts';
import { type Approval, type ApprovalPolicy, asksApproval } from '../../src/ledger/schema/approval.ts';
import type { RetryUntilAnswered } from '../../src/ledger/schema/until-answered.ts';
import { onceAtATime } from '../../src/once-at-a-time.ts';
import type { Queues } from '../../src/queue/queues.ts';
import { freeApproved } from '../rows/free-approved.ts';

export type ApprovalDeps = {
  approvals: Approvals;
  /** The approval rules in force now. */
  approvalPolicy: () => Promise<ApprovalPolicy>;
  queues: Queues;
  retryUntilAnswered: RetryUntilAnswered;
};

/** The approval that the rows of an import wait for. */
export type ImportApproval = {
  /** The approval's id; nothing if no approval is needed. */
  id(): string | undefined;
  /** The id of the approval for rows that a person declined before. They wait even if the rules need no approval. */
  ofDeclined(): Promise<string>;
  /** Begins a new approval if `seen` was closed, because another process finished importing the same file. */
  renew(seen: string): Promise<string>;
  /** Called after the last line. Answers the approval that waits for a person; nothing if none does. */
  close(): Promise<Approval | undefined>;
};

/**
 * Begins the approval of an import. Until the last line is in, it is unknown whether an approval is needed, so rows wait. Where
 * the rules ask for none, rows go at once, except rows that a person declined before.
 *
 * @param told.named all that is said of the supplier, as text; "" for none
 * @param told.redone whether a person declined the supplier before: then all rows wait, since none can go without it
 * @param told.authors who uploaded, corrected or imports the file: none of them may approve it
 */
export async function beginApproval(
  portfolio: string,
  told: {
    file: ImportedFile;
    number: string;
    authors: readonly string[];
    supplier: string | undefined;
    named: string;
    redone: boolean;
  },
  deps: ApprovalDeps,
): Promise<ImportApproval> {
  const { approvals, approvalPolicy, retryUntilAnswered } = deps;
  const isAsked = told.redone || asksApproval(await retryUntilAnswered('approval rule', approvalPolicy));
  const begun: string[] = [];
  const begin = async (): Promise<string> => {
    // If only declined rows need the approval, the supplier is not part of it.
    const next = await approvals.beginImport(portfolio, isAsked ? told : { ...told, supplier: undefined, named: '' });
    if (next !== begun.at(-1)) begun.push(next);
    return next;
  };
  /** Lines of one batch may need a new approval at the same time; only one is begun. */
  const beginOnce = onceAtATime(begin);
  if (isAsked) await begin();
  return {
    id: () => (isAsked ? begun.at(-1) : undefined),
    ofDeclined: async () => begun.at(-1) ?? beginOnce(),
    renew: async (seen) => (seen === begun.at(-1) ? beginOnce() : (begun.at(-1) ?? seen)),
    async close() {
      if (begun.length === 0) return undefined;
      const policy = await retryUntilAnswered('approval rule', approvalPolicy);
      for (const one of begun) {
        const standing = await approvals.close({ portfolio, id: one }, policy);
        if (standing === 'granted') await retryUntilAnswered('free', () => freeApproved({ portfolio, id: one }, deps));
      }
      const last = await retryUntilAnswered('approval', () => approvals.read(begun.at(-1) ?? ''));
      return last?.standing === 'waiting' ? last : undefined;
    },
  };
}
