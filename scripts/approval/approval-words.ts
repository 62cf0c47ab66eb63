import { counted } from '../../src/counted.ts';
import type { Approval, ApprovalKind } from '../../src/ledger/approvals/approval.ts';
import { groupedAmount } from '../../src/money-text.ts';
import { visible } from '../../src/portfolio/problem.ts';

const KIND: Readonly<Record<ApprovalKind, string>> = {
  import: 'to be requested',
  retry: 'to be sent again',
  answer: 'held, and answered',
};

/** What waits, as whoever approves it has to see it: what, how much, whose, and the digest that a yes is for. */
export function waitingWords({ id, portfolio, kind, rows, sum, authors, askedMs, file, digest }: Approval): string {
  return [
    `Portfolio ${portfolio}: ${counted(rows, 'row')}, ${groupedAmount(sum)} in all, ${KIND[kind]}`,
    `  asked for by  ${authors.map(visible).join(', ')}, ${new Date(askedMs).toISOString().slice(0, 19)}Z`,
    ...(file ? [`  file          ${visible(file.name)} (SHA-256 ${file.sha256})`] : []),
    `  approval      ${id}`,
    `  digest        ${digest}`,
  ].join('\n');
}

/** The same for programs. */
export function waitingOf({ id, kind, rows, sum, authors, askedMs, file, digest }: Approval) {
  return { approval: id, kind, rows, sum, authors, asked: new Date(askedMs).toISOString(), file: file ?? null, digest };
}
