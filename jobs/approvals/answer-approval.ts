import { isNamed, isOfSystem, isSamePerson } from '../../src/actor.ts';
import type { AnswerResult, ApprovalAnswer } from '../../src/ledger/approvals/approval-look.ts';
import type { Approvals } from '../../src/ledger/approvals/approvals.ts';
import type { Approval } from '../../src/ledger/schema/approval.ts';
import type { RowId } from '../../src/ledger/schema/schema.ts';
import type { Person, Role } from '../../src/people/person.ts';
import { RESEND } from '../operators/ask-first.ts';
import { type FreeDeps, freeHeld, resendSupplier, reviveGivenUpSupplier } from '../operators/free-held.ts';
import { callName, otherCallFault, prefixFault, readKnownIds } from '../operators/id-faults.ts';
import { resolveCallOf } from '../operators/resolve-calls.ts';
import { feed } from '../rows/feed.ts';
import { freeApproved } from '../rows/free-approved.ts';
import { callsOf, type FoundRow, isInDoubt, readFound } from '../rows/walk-rows.ts';

/** A person's answer to an approval. `digest` is of the approval as the person saw it. */
export type GivenAnswer = { id: string; answer: ApprovalAnswer; digest: string; words: string; person: Person };

/**
 * Why this person may not answer this approval; nothing where they may: `own` if they asked for it, `nobody` without a user
 * account or an identity provider, `role` if they are not an approver, or not among those that the approval names.
 */
export function whyNot(
  { authors, approvers }: Pick<Approval, 'authors' | 'approvers'>,
  { by, roles }: Person,
): 'nobody' | 'role' | 'own' | undefined {
  if (isOwn({ authors }, by)) return 'own';
  if (isOfSystem(by)) return 'nobody';
  const isMeant = approvers?.some((name) => isNamed(name, by)) ?? true;
  return roles.includes('approver') && isMeant ? undefined : 'role';
}

/** Whether this person asked for the approval, under any of their names. */
export function isOwn({ authors }: Pick<Approval, 'authors'>, by: string): boolean {
  return authors.some((author) => isSamePerson(author, by));
}

/**
 * Records a person's answer to an approval, if nobody has answered it and it still is what the person saw. {@link carryOutAnswers} executes
 * the answer.
 */
export async function answerApproval(
  { id, answer, digest, words, person }: GivenAnswer,
  { approvals }: { approvals: Approvals },
): Promise<AnswerResult> {
  const approval = await approvals.read(id);
  if (!approval) return { is: 'gone' };
  // A person who may not answer does not learn whether it is still open.
  const why = whyNot(approval, person);
  if (why !== undefined) return { is: why };
  const said = { id, digest, by: person.by, words };
  const taken = answer === 'approve' ? await approvals.grant(said) : await approvals.decline(said);
  const now = (await approvals.read(id)) ?? approval;
  switch (taken) {
    case 'granted':
    case 'declined':
      return { is: 'done', approval: now };
    case 'answered':
      return { is: 'answered', approval: now };
    default:
      return { is: taken };
  }
}

type ListsUsers = {
  list: (page: {
    after?: string | undefined;
    limit: number;
  }) => Promise<{ users: readonly { name: string; roles: readonly Role[] }[]; next?: string | undefined }>;
};

/** The most users who are searched for possible approvers. A message names a few of them and counts the rest. */
const MOST_LOOKED_AT = 1_000;
const USERS_AT_ONCE = 200;

/** The names of users who may answer an approval, sorted: see whyNot. */
export async function approversOf(
  approval: Pick<Approval, 'authors' | 'approvers'>,
  users: ListsUsers,
): Promise<string[]> {
  const found: string[] = [];
  let after: string | undefined;
  for (let looked = 0; looked < MOST_LOOKED_AT; looked += USERS_AT_ONCE) {
    const page = await users.list({ after, limit: USERS_AT_ONCE });
    for (const { name, roles } of page.users) {
      if (!whyNot(approval, { by: name, roles })) found.push(name);
    }
    after = page.next;
    if (after === undefined) break;
  }
  return found;
}

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
  for (const { name, states, importing, interrupted, ...of } of await deps.portfolios.open()) {
    // A supplier may wait alone, without rows.
    if (states.awaiting === 0 && !of.supplierAwaits && !of.laterSupplier?.awaits) continue;
    const isGoneOnWith = importing || interrupted;
    for (const { id, kind, ageMs } of await deps.approvals.open(name)) {
      if ((kind === 'import' && isGoneOnWith) || ageMs < LEFT_AFTER_MS) continue;
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
