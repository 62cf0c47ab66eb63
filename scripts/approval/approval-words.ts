import { approversOf } from '../../jobs/approvals/answer-approval.ts';
import { largestRows, makeApprovalCurrency } from '../../jobs/approvals/look-at-approval.ts';
import { KIND_WORDS, saidWords } from '../../src/console/pages/approvals/approvals-list.ts';
import type { Context } from '../../src/context.ts';
import { counted, grouped, moneyText } from '../../src/counted.ts';
import type { AskedFor } from '../../src/ledger/approvals/approval-look.ts';
import { onlyCurrency } from '../../src/ledger/counts/money.ts';
import type { Summary } from '../../src/ledger/portfolios/summary.ts';
import { type Approval, leavesNobody, NOBODY_NAMED, whyAskedWords } from '../../src/ledger/schema/approval.ts';
import type { FoundRow } from '../../src/ledger/search/row-filter.ts';
import { groupsWith } from '../../src/people/oidc/group-roles.ts';
import { visible } from '../../src/portfolio/problem.ts';
import type { Terminal } from '../terminal/terminal.ts';

/**
 * An approval as its approver must see it: what is asked for, how much, by whom, and the digest that a yes is for. `isOld`: see
 * {@link whyAskedWords}; `currency`: see {@link makeApprovalCurrency}.
 */
export function waitingWords(
  approval: Approval,
  { isOld, currency }: { isOld?: boolean; currency?: string | undefined } = {},
): string {
  const { id, portfolio, kind, rows, sum, authors, askedMs, file, digest } = approval;
  return [
    `Portfolio ${portfolio}: ${counted(rows, 'row')}, ${moneyText(sum, currency)} in all, ${KIND_WORDS[kind]}`,
    `  asked for by  ${authors.map(visible).join(', ')}, ${new Date(askedMs).toISOString().slice(0, 19)}Z`,
    ...(file ? [`  file          ${visible(file.name)} (SHA-256 ${file.sha256})`] : []),
    `  why           ${visible(whyAskedWords(approval, isOld))}`,
    `  approval      ${id}`,
    `  digest        ${digest}`,
  ].join('\n');
}

/** A line about a held row, with the answer about its call that is to be approved. */
export function saidLine({ result: { line, request, awaits } }: FoundRow, currency: string | undefined): string {
  const amount = moneyText(request.limit.requested_limit, currency);
  return `  line ${line}  ${visible(request.name)}, ${amount}, ${saidWords(awaits?.answer)}`;
}

/** A line about each of an approval's largest held rows, and how many more there are. */
export async function saidLines(
  approval: Approval,
  currency: string | undefined,
  deps: Pick<Context, 'rows'>,
): Promise<string[]> {
  const { largest } = await largestRows(approval, deps);
  const others = approval.rows - largest.length;
  return [...largest.map((one) => saidLine(one, currency)), ...(others > 0 ? [`  and ${grouped(others)} more`] : [])];
}

/** An approval in JSON. */
export function waitingOf({ id, kind, rows, sum, authors, askedMs, file, digest, over }: Approval) {
  const asked = new Date(askedMs).toISOString();
  return { approval: id, kind, rows, sum, authors, asked, file: file ?? null, over: over ?? null, digest };
}

/** Tells that rows wait for approval, and how another person can answer. */
export function askedWords(
  portfolio: string,
  { approval, rows, sum, why = '' }: AskedFor,
  currency: string | undefined,
): string {
  const wait = rows === 1 ? 'waits' : 'wait';
  return [
    `Nothing was sent: ${counted(rows, 'row')} of portfolio ${portfolio}, ${moneyText(sum, currency)} in all, ${wait} for another person's approval. ${why}`.trim(),
    `To approve or decline: npx limitline approve "${portfolio}" --as USER --approval ${approval}, or the console's page /approvals/${approval}`,
  ].join('\n');
}

/** The most approvals, and the most names, that are printed; the console has all. */
const MOST_SAID = 5;
const MOST_NAMED = 10;

const DECLINED: Readonly<Record<Approval['kind'], string>> = {
  import: 'Declined',
  retry: 'Sending again declined',
  answer: 'Answers about held calls declined',
};

/** A line for each of the portfolio's last noes, where rows are left that such a no concerns: who declined how much of what, and why. */
export async function declinedLines(
  { portfolio, states, money }: Pick<Summary, 'portfolio' | 'states' | 'money'>,
  { approvals }: Pick<Context, 'approvals'>,
): Promise<string[]> {
  const left = { import: states.cancelled, retry: states.refused + states.cancelled, answer: states.held };
  if (Object.values(left).every((rows) => rows === 0)) return [];
  const all = await approvals.of(portfolio);
  const declined = all.filter(({ standing, kind }) => standing === 'declined' && left[kind] > 0);
  return declined.slice(0, MOST_SAID).map(({ kind, rows, sum, answered: { by = '', words = '', atMs = 0 } = {} }) => {
    const day = new Date(atMs).toISOString().slice(0, 10);
    const why = words === '' ? '.' : `: ${words}`;
    return visible(
      `${DECLINED[kind]} by ${by} on ${day}, ${counted(rows, 'row')}, ${moneyText(sum, onlyCurrency(money))} in all${why}`,
    );
  });
}

/** Prints each waiting approval of a portfolio: its sum, how to approve it, and who may do so. */
export async function sayWaiting(
  portfolio: string,
  { approvals, people, portfolios, settings }: Pick<Context, 'approvals' | 'people' | 'portfolios' | 'settings'>,
  { say }: Pick<Terminal, 'say'>,
): Promise<void> {
  const waiting = (await approvals.waiting()).filter((one) => one.portfolio === portfolio);
  const currencyOf = makeApprovalCurrency({ portfolios });
  const groups = groupsWith('approver', settings.CONSOLE_OIDC_ROLES);
  for (const one of waiting.slice(0, MOST_SAID)) {
    const who = whoWords(one, await approversOf(one, people.users), groups);
    say(`limitline: ${waitingSentence(one, await currencyOf(one))} ${who}`);
  }
}

function waitingSentence(approval: Approval, currency: string | undefined): string {
  const { id, portfolio, rows, sum } = approval;
  const wait = rows === 1 ? 'waits' : 'wait';
  return `${counted(rows, 'row')}, ${moneyText(sum, currency)} in all, ${wait} for another person's approval. ${whyAskedWords(approval)} To approve: npx limitline approve "${portfolio}" --as USER --approval ${id}, or the console's page /approvals/${id}.`;
}

function whoWords({ approvers }: Approval, names: readonly string[], groups: readonly string[]): string {
  if (leavesNobody({ inboxApprovers: approvers })) return NOBODY_NAMED;
  const elsewhere = `people of the identity provider in one of these groups: ${groups.map(visible).join(', ')}`;
  if (names.length === 0 && approvers && groups.length > 0) {
    return `Who may approve: ${approvers.join(', ')}, as ${elsewhere}.`;
  }
  if (names.length === 0 && approvers) {
    return `Only those whom INBOX_APPROVERS names may approve it (${approvers.join(', ')}), and none of them is another user with the role approver: give one the role, or name somebody else there.`;
  }
  if (names.length === 0 && groups.length > 0) {
    return `Who may approve: ${elsewhere}.`;
  }
  if (names.length === 0) {
    return 'There is no other person who may approve yet. Add one: npx limitline user add NAME --roles approver.';
  }
  const others = names.length - MOST_NAMED;
  return `Who may approve: ${names.slice(0, MOST_NAMED).join(', ')}${others > 0 ? ` and ${counted(others, 'other')}` : ''}.`;
}
