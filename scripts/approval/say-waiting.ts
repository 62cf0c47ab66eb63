import { approversOf } from '../../jobs/approvals/answer-approval.ts';
import type { Context } from '../../src/context.ts';
import { counted } from '../../src/counted.ts';
import { type Approval, whyWords } from '../../src/ledger/schema/approval.ts';
import { groupedAmount } from '../../src/money-text.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Approvals and names printed at most; the console has all. */
const MOST_SAID = 5;
const MOST_NAMED = 10;

/** Prints for each waiting approval of a portfolio how much it is, how to approve it, and who may. */
export async function sayWaiting(
  portfolio: string,
  { approvals, people }: Pick<Context, 'approvals' | 'people'>,
  { say }: Pick<Terminal, 'say'>,
): Promise<void> {
  const waiting = (await approvals.waiting()).filter((one) => one.portfolio === portfolio);
  for (const one of waiting.slice(0, MOST_SAID)) {
    say(`limitline: ${waitingSentence(one)} ${whoWords(await approversOf(one, people.users))}`);
  }
}

function waitingSentence(approval: Approval): string {
  const { id, portfolio, rows, sum } = approval;
  const why = whyWords(approval);
  const wait = rows === 1 ? 'waits' : 'wait';
  return `${counted(rows, 'row')}, ${groupedAmount(sum)} in all, ${wait} for another person's approval${why === '' ? ':' : `. ${why} It is done by`} npx limitline approve "${portfolio}" --as USER --approval ${id}, or the console's page /approvals/${id};`;
}

function whoWords(names: readonly string[]): string {
  if (names.length === 0) {
    return 'nobody but those who asked for it may approve yet: add somebody with npx limitline user add NAME --roles approver.';
  }
  const others = names.length - MOST_NAMED;
  return `who may approve: ${names.slice(0, MOST_NAMED).join(', ')}${others > 0 ? ` and ${counted(others, 'other')}` : ''}.`;
}
