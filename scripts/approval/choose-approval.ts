import { LimitlineError } from '../../src/errors.ts';
import type { Approval } from '../../src/ledger/approvals/approval.ts';
import { waitingWords } from './approval-words.ts';

/** Which of a portfolio's approvals is meant, and as what it was looked at. */
export type ApprovalChoice = { approval?: string; digest?: string };

/**
 * The approval of a portfolio that somebody means: the only one that waits, or the one that is named.
 *
 * @throws LimitlineError `NOT_FOUND` where none waits, or not this one; `USAGE` where several do, or it is not what was looked at
 */
export function chooseApproval(
  portfolio: string,
  { approval: id, digest }: ApprovalChoice,
  waiting: readonly Approval[],
): Approval {
  const meant = id === undefined ? waiting : waiting.filter((one) => one.id === id);
  const [only, ...others] = meant;
  if (!only) {
    const named = id === undefined ? 'Nothing' : `No approval ${id}`;
    throw new LimitlineError(
      'NOT_FOUND',
      `${named} of portfolio "${portfolio}" waits for approval. ${listed(waiting)}`,
    );
  }
  if (others.length > 0) {
    throw new LimitlineError(
      'USAGE',
      `Several approvals of portfolio "${portfolio}" wait: name one by --approval.\n${meant.map(waitingWords).join('\n')}`,
    );
  }
  if (digest !== undefined && digest !== only.digest) {
    throw new LimitlineError(
      'USAGE',
      `It is not what was looked at any more: its digest is ${only.digest}. Look at it again. Nothing was done.\n${waitingWords(only)}`,
    );
  }
  return only;
}

function listed(waiting: readonly Approval[]): string {
  return waiting.length === 0
    ? 'To see how its rows are, run: npx limitline report.'
    : `Those that do: ${waiting.map(({ id }) => id).join(', ')}.`;
}
