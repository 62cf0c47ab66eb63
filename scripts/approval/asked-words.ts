import { counted } from '../../src/counted.ts';
import type { AskedFor } from '../../src/ledger/approvals/approval-look.ts';
import { groupedAmount } from '../../src/money-text.ts';

/** Tells that rows wait for approval, and how another person can answer. */
export function askedWords(portfolio: string, { approval, rows, sum, why = '' }: AskedFor): string {
  const wait = rows === 1 ? 'waits' : 'wait';
  return [
    `Nothing was sent: ${counted(rows, 'row')} of portfolio ${portfolio}, ${groupedAmount(sum)} in all, ${wait} for another person's approval. ${why}`.trim(),
    `To approve or decline: npx limitline approve "${portfolio}" --as USER --approval ${approval}, or the console's page /approvals/${approval}`,
  ].join('\n');
}
