import type { Approvals } from '../../src/ledger/approvals/approvals.ts';
import type { Approval } from '../../src/ledger/schema/approval.ts';
import type { RowId } from '../../src/ledger/schema/schema.ts';
import { RESEND } from '../operators/ask-first.ts';
import { type FreeDeps, freeHeld } from '../operators/free-held.ts';
import { callName, otherCallFault, prefixFault, readKnownIds } from '../operators/id-faults.ts';
import { resolveCallOf } from '../operators/resolve-call.ts';
import { resendSupplier } from '../operators/supplier-again.ts';
import { callsOf } from '../rows/calls-of.ts';
import { isInDoubt } from '../rows/in-doubt.ts';
import type { FoundRow } from '../rows/walk-rows.ts';

export type CarryOutAnswersDeps = FreeDeps & { approvals: Approvals };

/** Rows at a time. */
const PAGE = 100;

/**
 * Does what was said of held rows and approved: takes their calls as made, or lets them be sent again. A row waits until its call is
 * answered and goes from there, in a step that takes it off the approval's list; the call knows that it was answered. So whoever comes
 * after one that was killed goes on, and two at a time do no harm.
 *
 * What was said is of the call as it was then: one that was sent again since, and is in doubt anew, is not answered by it, nor by an id
 * that is known by now as another's, nor where another person said no since; such a row is held, for a person to look at again.
 */
export async function carryOutAnswers(approval: Approval, deps: CarryOutAnswersDeps): Promise<void> {
  const { id, portfolio, supplierAgain } = approval;
  if (supplierAgain) await resendSupplier(portfolio, { ...supplierAgain, approval: id }, deps);
  for (;;) {
    // From the first each time: what is carried out is on the list no longer.
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

type Waiting = { found: FoundRow; said: string; of: string | undefined };

/** The rows that wait with what was said of them. */
async function readWaiting(page: readonly RowId[], id: string, { rows }: CarryOutAnswersDeps): Promise<Waiting[]> {
  const results = await rows.read(page);
  return page.flatMap((row, place) => {
    const result = results[place];
    if (result?.state !== 'awaiting' || result.approval !== id || !result.awaits?.answer) return [];
    return [{ found: { row, result }, said: result.awaits.answer, of: result.awaits.of }];
  });
}

/**
 * Whether the call is in doubt no longer: answered by this, by one that was killed behind it, or with another row of the same call. The
 * first of those who asked is who said it; that another approved is told with the row.
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

/** What did not go is held again; nothing of it is to be done any more. */
async function endOf(row: RowId, id: string, { approvals }: CarryOutAnswersDeps): Promise<void> {
  await approvals.restore(row, id);
  await approvals.carriedOut(row, id);
}
