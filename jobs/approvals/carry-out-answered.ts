import type { Approval } from '../../src/ledger/schema/approval.ts';
import { reviveGivenUpSupplier } from '../operators/supplier-again.ts';
import { feed } from '../rows/feed.ts';
import { freeApproved } from '../rows/free-approved.ts';
import { type CarryOutAnswersDeps, carryOutAnswers } from './carry-out-answers.ts';

/**
 * Executes an answered approval for all its rows: granted rows go on, declined rows are cancelled or get their earlier state
 * back. May be repeated after a crash, or run twice at a time.
 */
export async function carryOutAnswered(approval: Approval, deps: CarryOutAnswersDeps): Promise<void> {
  const { kind, standing, portfolio } = approval;
  if (standing === 'open' || standing === 'waiting') return;
  if (kind === 'answer' && standing === 'granted') await carryOutAnswers(approval, deps);
  else {
    if (kind === 'retry' && standing === 'granted') await reviveGivenUpSupplier(portfolio, deps);
    await freeApproved(approval, deps);
  }
  await feed(deps);
}

/**
 * Executes all answered approvals whose process died or is still at work. A failure does not stop the others.
 *
 * @throws the first fault, after all others
 */
export async function carryOutAllAnswered(deps: CarryOutAnswersDeps): Promise<void> {
  const faults: unknown[] = [];
  for (const { id } of await deps.approvals.answered()) {
    try {
      const approval = await deps.approvals.read(id);
      if (approval) await carryOutAnswered(approval, deps);
    } catch (error) {
      faults.push(error);
    }
  }
  if (faults.length > 0) throw faults[0];
}

/** Asking never takes longer. An older open approval belongs to a process that died, and nobody can answer it. */
const LEFT_AFTER_MS = 10 * 60_000;

/**
 * Closes abandoned approvals, so that they wait for a person like any other. An interrupted import continues when its file is
 * imported again, so its approval stays open, until another file is imported completely: then nobody would continue the first.
 */
export async function closeLeft(deps: CarryOutAnswersDeps): Promise<void> {
  for (const { name, states, importing, interrupted } of await deps.portfolios.open()) {
    if (states.awaiting === 0) continue;
    const isGoneOnWith = importing || interrupted;
    for (const { id, kind, askedMs } of await deps.approvals.open(name)) {
      if ((kind === 'import' && isGoneOnWith) || askedMs > Date.now() - LEFT_AFTER_MS) continue;
      await deps.approvals.close({ portfolio: name, id }, { always: true, above: undefined });
    }
  }
}
