import type { Approval } from '../../src/ledger/approvals/approval.ts';
import type { Approvals } from '../../src/ledger/approvals/approvals.ts';
import type { RowId } from '../../src/ledger/row-id.ts';
import { RESEND } from '../operators/ask-first.ts';
import { type FreeDeps, freeHeld } from '../operators/free-held.ts';
import { callName, otherCallFault, prefixFault, readKnownIds } from '../operators/id-faults.ts';
import { resolveCallOf } from '../operators/resolve-calls.ts';
import { sendAgain } from '../operators/send-again.ts';
import { callsOf } from '../rows/calls-of.ts';
import type { FoundRow } from '../rows/walk-rows.ts';

export type CarryOutAnswersDeps = FreeDeps & { approvals: Approvals };

/** Rows at a time. */
const PAGE = 100;

/**
 * Does what was said of held rows and approved: takes their calls as made, or lets them be sent again. Each row is restored, answered,
 * and only then taken off the approval's list, and each of the three may be done twice: whoever comes after one that was killed goes on.
 *
 * What was said is of the call as it was then: one that was sent again since, and is in doubt anew, is not answered by it, nor by an id
 * that is known by now as another's; such a row is held, for a person to look at again. Answers how many rows go on.
 */
export async function carryOutAnswers(approval: Approval, deps: CarryOutAnswersDeps): Promise<number> {
  const { id, portfolio } = approval;
  let went = 0;
  for (;;) {
    // From the first each time: what is carried out is on the list no longer.
    const page = await deps.approvals.rowsOf({ portfolio, id }, { count: PAGE });
    if (page.length === 0) break;
    const restored = await restoreAll(page, id, deps);
    const ids = new Set(restored.flatMap(({ said }) => (said === RESEND ? [] : [said])));
    const known = await readKnownIds(ids, deps);
    for (const { found, said } of restored) {
      const made = said === RESEND ? undefined : said;
      const fault =
        prefixFault(made, found) ?? (made && otherCallFault(made, callsOf(found).map(callName), known)) ?? undefined;
      if (fault === undefined && (await answerOne(found, { made, approval }, deps))) went += 1;
    }
    for (const row of page) await deps.approvals.carriedOut(row, id);
  }
  return went + (await freeHeld(deps));
}

type Restored = { found: FoundRow; said: string };

/** The rows that are held as they were when somebody spoke of them. */
async function restoreAll(
  page: readonly RowId[],
  id: string,
  { approvals, rows }: CarryOutAnswersDeps,
): Promise<Restored[]> {
  const restored: Restored[] = [];
  for (const row of page) {
    const answer = await approvals.restore(row, id);
    const [result] = answer?.state === 'held' && answer.said !== '' ? await rows.read([row]) : [];
    if (result?.state === 'held' && answer) restored.push({ found: { row, result }, said: answer.said });
  }
  return restored;
}

/** The first of those who asked is who said it; that another approved is told with the approval. */
async function answerOne(
  found: FoundRow,
  { made, approval }: { made: string | undefined; approval: Approval },
  deps: CarryOutAnswersDeps,
): Promise<boolean> {
  const [by] = approval.authors;
  const resolved = await resolveCallOf(found, { made, by, asOfMs: approval.askedMs }, deps);
  // Resolved before, by one that was killed, or with another row of the same call: then it goes on all the same.
  const unknown = resolved ? [] : await Promise.all(callsOf(found).map((call) => deps.calls.isUnknown(call)));
  return !unknown.includes(true) && sendAgain(found.row, 'held', deps);
}
