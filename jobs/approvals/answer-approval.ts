import { isNamed, isOfSystem, isSamePerson } from '../../src/actor.ts';
import type { AnswerResult, ApprovalAnswer } from '../../src/ledger/approvals/approval-look.ts';
import type { Approvals } from '../../src/ledger/approvals/approvals.ts';
import type { Approval } from '../../src/ledger/schema/approval.ts';
import type { Person } from '../../src/people/person.ts';

/** An answer: to which approval, as it was looked at (`digest`), by whom, in what words. */
export type GivenAnswer = { id: string; answer: ApprovalAnswer; digest: string; words: string; person: Person };

/**
 * Why this person may not answer this approval, whatever they say to it; nothing where they may. Whoever is no user of ours or of an
 * identity provider may not, who asked for it, under whatever name of theirs, who is no approver, and of what was dropped whom settings
 * that name others do not.
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

/** Whether somebody asked for it, under whatever name of theirs. */
export function isOwn({ authors }: Pick<Approval, 'authors'>, by: string): boolean {
  return authors.some((author) => isSamePerson(author, by));
}

/**
 * Answers what waits for approval, once, and only as it was looked at. That it is carried out is another matter: see
 * carry-out-answered.ts.
 */
export async function answerApproval(
  { id, answer, digest, words, person }: GivenAnswer,
  { approvals }: { approvals: Approvals },
): Promise<AnswerResult> {
  const approval = await approvals.read(id);
  if (!approval) return { is: 'gone' };
  // Who may not answer is not told whether it could be answered.
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
