import { Big } from 'big.js';
import { asksApproval } from '../../src/ledger/schema/approval.ts';
import type { FoundRow } from '../../src/ledger/search/row-filter.ts';
import { type AskDeps, justThese, whyNeededWords } from './ask-first.ts';

/**
 * Why another person has to approve answers about these held rows of a portfolio, in words; undefined if nobody has to. Without any rule
 * an answer has to be approved where somebody declined the request, or an answer about the same call.
 */
export async function whyAnswersWait(
  portfolio: string,
  held: readonly FoundRow[],
  { approvals, approvalPolicy }: AskDeps,
): Promise<string | undefined> {
  const policy = await approvalPolicy();
  // Amounts are read only under a rule on sums. So a damaged amount stops no plan where there is none.
  const counts = asksApproval(policy) ? held : [];
  const sum = counts.reduce((total, { result }) => total.plus(result.request.limit.requested_limit), new Big(0));
  const rows = held.map((found) => ({ found }));
  return whyNeededWords({ portfolio, kind: 'answer' }, () => justThese(rows), {
    sum: sum.toFixed(),
    approvals,
    policy,
  });
}
