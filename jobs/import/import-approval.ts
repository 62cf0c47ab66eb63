import { type Approval, type ApprovalPolicy, asksApproval } from '../../src/ledger/approvals/approval.ts';
import type { Approvals } from '../../src/ledger/approvals/approvals.ts';
import type { ImportedFile } from '../../src/ledger/imports.ts';
import type { Persist } from '../../src/ledger/persist.ts';
import type { Queues } from '../../src/queue/queues.ts';
import { freeApproved } from '../rows/free-approved.ts';

export type ApprovalDeps = {
  approvals: Approvals;
  /** What settings ask another person's approval for. */
  approvalPolicy: ApprovalPolicy;
  queues: Queues;
  persist: Persist;
};

/** The approval that the rows of an import wait for. */
export type ImportApproval = {
  id(): string;
  /** Another one, where this is open no longer: somebody else has brought the same file in to its end meanwhile. */
  renew(seen: string): Promise<string>;
  /** All lines are in. Answers what waits for a person now; nothing where nobody has to say yes. */
  close(): Promise<Approval | undefined>;
};

/**
 * Begins to bring rows in that wait: whether anybody has to approve them is known when the last line is in. Answers nothing where
 * settings ask for no approval.
 *
 * @param authors who uploaded the file, mended it, or imports it: none of them may approve it
 */
export async function beginApproval(
  portfolio: string,
  told: { file: ImportedFile; number: string; authors: readonly string[]; supplier: string | undefined },
  deps: ApprovalDeps,
): Promise<ImportApproval | undefined> {
  const { approvals, approvalPolicy, persist } = deps;
  if (!asksApproval(approvalPolicy)) return undefined;
  const begin = () => approvals.beginImport(portfolio, told);
  const begun = [await begin()];
  let renewing: Promise<string> | undefined;
  const id = () => begun.at(-1) ?? '';
  return {
    id,
    async renew(seen) {
      if (seen !== id()) return id();
      // Lines of a batch find this out together.
      renewing ??= begin().finally(() => {
        renewing = undefined;
      });
      const next = await renewing;
      if (next !== id()) begun.push(next);
      return next;
    },
    async close() {
      for (const one of begun) {
        const standing = await approvals.close({ portfolio, id: one }, approvalPolicy);
        if (standing === 'granted') await persist('free', () => freeApproved({ portfolio, id: one }, deps));
      }
      const last = await persist('approval', () => approvals.read(id()));
      return last?.standing === 'waiting' ? last : undefined;
    },
  };
}
