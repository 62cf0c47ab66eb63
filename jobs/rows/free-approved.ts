import type { Approvals } from '../../src/ledger/approvals/approvals.ts';
import type { ApprovalId } from '../../src/ledger/schema/approval.ts';
import type { Queues } from '../../src/queue/queues.ts';

type FreeDeps = { approvals: Approvals; queues: Pick<Queues, 'forget'> };

/**
 * Releases the rows of an answered approval: granted rows wait for their step, declined rows are cancelled or get their earlier state back.
 * Works in pages, so that it may be repeated after a crash or run twice at a time. Granted answers to held calls are carried out by
 * answer-approval.ts and not by this function.
 */
export async function freeApproved(id: ApprovalId, { approvals, queues }: FreeDeps): Promise<void> {
  const approval = await approvals.read(id.id);
  if (!approval) return;
  if (approval.kind === 'answer' && approval.standing === 'granted') {
    // If other imports changed all its rows, there is nothing to carry out.
    if (!approval.supplierAgain && (await approvals.rowsOf(id, { count: 1 })).length === 0)
      await approvals.freeSome(id, []);
    return;
  }
  await approvals.giveUpSupplier(id);
  for (;;) {
    const rows = await approvals.rowsOf(id);
    // The ended jobs of these rows are removed, because BullMQ ignores a new job with a known id.
    if (approval.kind === 'retry') await queues.forget(rows);
    const left = await approvals.freeSome(id, rows);
    if (left === 0) return;
  }
}
