import type { Approvals } from '../../src/ledger/approvals/approvals.ts';
import type { Approval } from '../../src/ledger/schema/approval.ts';
import type { RowId } from '../../src/ledger/schema/schema.ts';
import { RESEND } from '../operators/ask-first.ts';
import { type FreeDeps, freeHeld } from '../operators/free-held.ts';
import { callName, otherCallFault, prefixFault, readKnownIds } from '../operators/id-faults.ts';
import { resolveCallOf } from '../operators/resolve-calls.ts';
import { resendSupplier, reviveGivenUpSupplier } from '../operators/supplier-again.ts';
import { callsOf, isInDoubt } from '../rows/calls-of.ts';
import { feed } from '../rows/feed.ts';
import { freeApproved } from '../rows/free-approved.ts';
import { type FoundRow, readFound } from '../rows/walk-rows.ts';

export type CarryOutAnswersDeps = FreeDeps & { approvals: Approvals };

/** Rows read at a time. */
const PAGE = 100;

/**
 * Executes approved answers about held rows: the calls of these rows count as made, or may be sent again. A row waits until its call is
 * answered. Then one script moves the row and takes it off the approval's list. So this function may be repeated after a crash, or run
 * twice at a time.
 *
 * An answer concerns the call as it was then. The answer does not count if the call was sent and lost again since, if the id belongs to
 * another call by now, or if somebody has declined since. Such a row is held again, for a person.
 */
export async function carryOutAnswers(approval: Approval, deps: CarryOutAnswersDeps): Promise<void> {
  const { id, portfolio, supplierAgain } = approval;
  if (supplierAgain) await resendSupplier(portfolio, { ...supplierAgain, approval: id }, deps);
  for (;;) {
    // Always the first page, because executed rows leave the list.
    const page = await deps.approvals.rowsOf({ portfolio, id }, { count: PAGE });
    if (page.length === 0) break;
    const waiting = await readWaiting(page, id, deps);
    const ids = new Set(waiting.flatMap(({ said }) => (said === RESEND ? [] : [said])));
    const known = await readKnownIds(ids, deps);
    for (const { found, said, of } of waiting) {
      const made = said === RESEND ? undefined : said;
      const isOthers =
        made !== undefined &&
        otherCallFault(made, of === undefined ? callsOf(found).map(callName) : [of], known) !== undefined;
      if (isOthers || prefixFault(made, found) !== undefined) continue;
      if (await answerCall(found, { made, of, approval }, deps)) await deps.approvals.goAnswered(found.row, id);
    }
    for (const row of page) await endOf(row, id, deps);
  }
  if (supplierAgain) await deps.approvals.carriedOut({ portfolio, key: '' }, id);
  await freeHeld(deps);
}

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

/** The longest time that a process takes to complete an approval. An approval that is incomplete for longer belongs to a process that died. */
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
      await deps.approvals.close({ portfolio: name, id }, { always: true, above: undefined }, [], 'left');
    }
  }
}

type Waiting = { found: FoundRow; said: string; of: string | undefined };

/** Reads the rows of a page that still wait for this approval, with the answers about their calls. */
async function readWaiting(page: readonly RowId[], id: string, { rows }: CarryOutAnswersDeps): Promise<Waiting[]> {
  return (await readFound(page, rows)).flatMap((found) => {
    const { state, approval, awaits } = found.result;
    if (state !== 'awaiting' || approval !== id || !awaits?.answer) return [];
    return [{ found, said: awaits.answer, of: awaits.of }];
  });
}

/**
 * Writes the approved answer into the row's call. Answers whether the call is no longer in doubt. It may have been answered before: by a
 * process that died afterwards, or with another row of the same call. The first author counts as who answered; the row also records who
 * approved.
 */
async function answerCall(
  found: FoundRow,
  { made, of, approval }: { made: string | undefined; of: string | undefined; approval: Approval },
  deps: CarryOutAnswersDeps,
): Promise<boolean> {
  const [by] = approval.authors;
  const { asOf = approval.askedMs } = found.result.awaits ?? {};
  const said = { made, by, asOfMs: asOf, of, approval: approval.id };
  if ((await resolveCallOf(found, said, deps)) === 'resolved') return true;
  return !(await isInDoubt(found, deps.calls));
}

/** Puts a row back to held if its answer did not release it, and takes it off the approval's list. */
async function endOf(row: RowId, id: string, { approvals }: CarryOutAnswersDeps): Promise<void> {
  await approvals.restore(row, id);
  await approvals.carriedOut(row, id);
}
