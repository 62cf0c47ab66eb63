import type { Approvals } from '../../src/ledger/approvals/approvals.ts';
import type { ImportedFile } from '../../src/ledger/portfolios/imports.ts';
import { type Approval, type ApprovalPolicy, asksApproval } from '../../src/ledger/schema/approval.ts';
import type { RetryUntilAnswered } from '../../src/ledger/schema/until-answered.ts';
import { onceAtATime } from '../../src/once-at-a-time.ts';
import type { Queues } from '../../src/queue/queues.ts';
import { freeApproved } from '../rows/free-approved.ts';

export type ApprovalDeps = {
  approvals: Approvals;
  /** What another person has to approve at this moment. */
  approvalPolicy: () => Promise<ApprovalPolicy>;
  queues: Queues;
  retryUntilAnswered: RetryUntilAnswered;
};

/** The approval that the rows of an import wait for. */
export type ImportApproval = {
  /** Nothing where nobody asks for one. */
  id(): string | undefined;
  /** The one of rows that a person said no to before: they wait whether or not one is asked for. */
  ofDeclined(): Promise<string>;
  /** Another one, where this is open no longer: somebody else has brought the same file in to its end meanwhile. */
  renew(seen: string): Promise<string>;
  /** All lines are in. Answers what waits for a person now; nothing where nobody has to say yes. */
  close(): Promise<Approval | undefined>;
};

/**
 * Begins to bring rows in that wait: whether anybody has to approve them is known when the last line is in. Where no
 * approval is asked for they go at once, but for those that a person said no to before: an approval begins with the first of them.
 *
 * @param told.redone whether a person said no to the supplier before: then all of it waits, since no row goes on without that
 * @param authors who uploaded the file, mended it, or imports it: none of them may approve it
 */
export async function beginApproval(
  portfolio: string,
  told: {
    file: ImportedFile;
    number: string;
    authors: readonly string[];
    supplier: string | undefined;
    redone: boolean;
  },
  deps: ApprovalDeps,
): Promise<ImportApproval> {
  const { approvals, approvalPolicy, retryUntilAnswered } = deps;
  const isAsked = told.redone || asksApproval(await retryUntilAnswered('approval rule', approvalPolicy));
  const begun: string[] = [];
  const begin = async (): Promise<string> => {
    // No supplier waits for declined rows alone.
    const next = await approvals.beginImport(portfolio, isAsked ? told : { ...told, supplier: undefined });
    if (next !== begun.at(-1)) begun.push(next);
    return next;
  };
  /** Lines of a batch find out together that they need one. */
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
