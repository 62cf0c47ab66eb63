import { KIND_WORDS, saidWords } from '../../src/console/pages/approvals/approvals-list.ts';
import { counted } from '../../src/counted.ts';
import { type Approval, whyWords } from '../../src/ledger/schema/approval.ts';
import type { FoundRow } from '../../src/ledger/search/row-filter.ts';
import { groupedAmount, moneyText } from '../../src/money-text.ts';
import { visible } from '../../src/portfolio/problem.ts';

/** An approval as its approver must see it: what, how much, whose, and the digest that a yes is for. */
export function waitingWords(approval: Approval): string {
  const { id, portfolio, kind, rows, sum, authors, askedMs, file, digest } = approval;
  const why = whyWords(approval);
  return [
    `Portfolio ${portfolio}: ${counted(rows, 'row')}, ${groupedAmount(sum)} in all, ${KIND_WORDS[kind]}`,
    `  asked for by  ${authors.map(visible).join(', ')}, ${new Date(askedMs).toISOString().slice(0, 19)}Z`,
    ...(file ? [`  file          ${visible(file.name)} (SHA-256 ${file.sha256})`] : []),
    ...(why !== '' ? [`  why           ${visible(why)}`] : []),
    `  approval      ${id}`,
    `  digest        ${digest}`,
  ].join('\n');
}

/** A held row with the answer about its call. */
export function saidLine({ result: { line, request, awaits } }: FoundRow): string {
  const amount = moneyText(request.limit.requested_limit);
  return `  line ${line}  ${visible(request.name)}, ${amount}, ${saidWords(awaits?.answer)}`;
}

/** An approval in JSON. */
export function waitingOf({ id, kind, rows, sum, authors, askedMs, file, digest, over }: Approval) {
  const asked = new Date(askedMs).toISOString();
  return { approval: id, kind, rows, sum, authors, asked, file: file ?? null, over: over ?? null, digest };
}
