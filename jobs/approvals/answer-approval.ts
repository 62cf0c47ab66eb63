import { isNamed, isOfSystem, isSamePerson } from '../../src/actor.ts';
import type { AnswerResult, ApprovalAnswer } from '../../src/ledger/approvals/approval-look.ts';
import type { Approvals } from '../../src/ledger/approvals/approvals.ts';
import type { Approval } from '../../src/ledger/schema/approval.ts';
import type { Person, Role } from '../../src/people/person.ts';

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
 * Records a person's answer to an approval, if nobody has answered it and it still is what the person saw. carry-out-answers.ts executes
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
const PAGE = 200;

/** The names of users who may answer an approval, sorted: see whyNot. */
export async function approversOf(
  approval: Pick<Approval, 'authors' | 'approvers'>,
  users: ListsUsers,
): Promise<string[]> {
  const found: string[] = [];
  let after: string | undefined;
  for (let looked = 0; looked < MOST_LOOKED_AT; looked += PAGE) {
    const page = await users.list({ after, limit: PAGE });
    for (const { name, roles } of page.users) {
      if (!whyNot(approval, { by: name, roles })) found.push(name);
    }
    after = page.next;
    if (after === undefined) break;
  }
  return found;
}
