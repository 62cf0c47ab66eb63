import type { Approvals } from '../../src/ledger/approvals/approvals.ts';
import type { ApprovalId } from '../../src/ledger/schema/approval.ts';
import type { Queues } from '../../src/queue/queues.ts';

type FreeDeps = { approvals: Approvals; queues: Pick<Queues, 'forget'> };

/**
 * Lets the rows of what was answered go: what is granted waits for its step, what is declined is given up or is again what it was.
 * In pages, each of them a step of its own: whoever comes next goes on where another died, and two at a time do no harm. Answers to
 * held calls that were granted are not carried out here.
 */
export async function freeApproved(id: ApprovalId, { approvals, queues }: FreeDeps): Promise<void> {
  const approval = await approvals.read(id.id);
  if (!approval) return;
  if (approval.kind === 'answer' && approval.standing === 'granted') {
    // Others may have brought its rows other words, so that there is nothing to carry out.
    if (!approval.supplierAgain && (await approvals.rowsOf(id, { count: 1 })).length === 0)
      await approvals.freeSome(id, []);
    return;
  }
  await approvals.giveUpSupplier(id);
  for (;;) {
    const rows = await approvals.rowsOf(id);
    // A row that ended before has an ended job, and an add with an id that BullMQ still knows is ignored.
    if (approval.kind === 'retry') await queues.forget(rows);
    const left = await approvals.freeSome(id, rows);
    if (left === 0) return;
  }
}
