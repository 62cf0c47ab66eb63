import type { Approval } from '../../src/ledger/schema/approval.ts';
import { reviveGivenUpSupplier } from '../operators/supplier-again.ts';
import { feed } from '../rows/feed.ts';
import { freeApproved } from '../rows/free-approved.ts';
import { type CarryOutAnswersDeps, carryOutAnswers } from './carry-out-answers.ts';

/**
 * Does what an answer to an approval means, for all of its rows: what is granted goes, what is declined is given up, or is again what it
 * was. Whoever comes after one that was killed goes on, and two at a time do no harm.
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
 * The same of all that was answered and is not carried out: its process died, or is still at it. What fails keeps none of the others.
 *
 * @throws the first fault, when all others are carried out
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

/** Nobody takes longer to put rows to wait; who was killed at it left them under an approval that nobody can answer. */
const LEFT_AFTER_MS = 10 * 60_000;

/**
 * Closes what somebody began to ask for and was killed before its end, so that it waits for a person like any other. An import that was
 * killed is gone on with by importing its file again, and stays open, until another file was imported to its end instead: what the first
 * left waiting would be in nobody's hands then.
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
