import type { Command } from 'commander';
import { type Listed, listPortfolios } from '../../jobs/operators/list-portfolios.ts';
import type { Context } from '../../src/context.ts';
import { counted, grouped, moneyText } from '../../src/counted.ts';
import { ROW_STATES, type RowState } from '../../src/ledger/schema/row.ts';
import { visible } from '../../src/portfolio/problem.ts';
import { withContext } from '../opening/on-portfolio.ts';
import { archivedAt, archivedFacts, archivedWords, othersArchived } from '../report/summary-table.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** `limitline portfolios`: lists all portfolios of the account. */
export function register(program: Command, terminal: Terminal): void {
  program
    .command('portfolios')
    .option('--all', 'also list archived and forgotten portfolios, with the place of their files')
    .action(({ all = false }: { all?: boolean }) =>
      withContext((context) => printPortfolios(context, terminal, { all })),
    );
}

/** Prints the list of portfolios: text line by line, since there may be thousands, or JSON as a whole. */
export async function printPortfolios(
  context: Context,
  terminal: Terminal,
  { all: withArchived = false } = {},
): Promise<void> {
  const { account, archives, redis } = context;
  const all: Listed[] = [];
  let isEmpty = true;
  for await (const page of listPortfolios(context)) {
    isEmpty = false;
    if (terminal.json) all.push(...page);
    for (const one of page) terminal.answer(portfolioWords(one));
  }
  const archived = withArchived ? (await archives.list()).map((one) => archivedAt(one, context)) : [];
  const others = withArchived ? archived.length : await archives.count();
  for (const one of archived.toReversed()) terminal.answer(archivedWords(one));
  const more = withArchived ? { archived: archived.map(archivedFacts).toReversed() } : {};
  if (terminal.json) return terminal.print('', { account, portfolios: all, ...more });
  if (others > 0 && !withArchived) terminal.answer(othersArchived(others));
  if (isEmpty && others === 0) terminal.answer(`Account ${account} has no portfolio yet (ledger: ${redis.where}).`);
}

/** Widths of name and file for 80 columns. Name and file are cut, so that time and state stay aligned. */
const [NAME_WIDTH, FILE_WIDTH] = [24, 24];

/** Words for people where the word for programs says little. */
const STANDING_WORDS: Partial<Record<Listed['standing'], string>> = {
  settled: 'finished',
  awaiting: 'waits for approval',
  held: 'needs an answer',
};

/** Words for states, where the state says little. Rows at any step are `sending`, as in reports. */
const STATE_WORDS: Partial<Record<RowState, string>> = {
  queued: 'waiting',
  company: 'sending',
  documents: 'sending',
  limit: 'sending',
  skipped: 'requested before',
  awaiting: 'waiting for approval',
};

/** A portfolio in three lines: name and state, counts, sums. */
export function portfolioWords(given: Listed): string {
  const { portfolio, file, by, started, standing, states, invalid, duplicate } = given;
  const first = [
    column(portfolio, NAME_WIDTH),
    column(visible(file ?? '–'), FILE_WIDTH),
    // The time to the minute, in UTC as everywhere.
    started === null ? '–' : `${started.slice(0, 16).replace('T', ' ')}Z`,
    STANDING_WORDS[standing] ?? standing,
    ...(by === null ? [] : [`by ${visible(by)}`]),
  ];
  const counts = [
    ...countsInWords(states),
    ...(invalid > 0 ? [`${counted(invalid, 'line')} invalid`] : []),
    ...(duplicate > 0 ? [`${counted(duplicate, 'line')} duplicate`] : []),
  ];
  return `${first.join('  ')}\n    ${counts.join(', ') || 'no rows'}\n    ${moneyOf(given)}`;
}

function countsInWords(states: Listed['states']): string[] {
  const counts = new Map<string, number>();
  for (const state of ROW_STATES) {
    const words = STATE_WORDS[state] ?? state;
    counts.set(words, (counts.get(words) ?? 0) + states[state]);
  }
  return [...counts].flatMap(([words, count]) => (count > 0 ? [`${grouped(count)} ${words}`] : []));
}

/** A part of a sentence: the currencies of the sums, where there are several, or some amounts have none. */
function mixedWords({ currencies, withoutCurrency }: Listed): string[] {
  const names = currencies.map(visible).join(', ');
  if (withoutCurrency) return [`some in ${names} and some without a currency`];
  return currencies.length > 1 ? [`in several currencies (${names})`] : [];
}

function moneyOf(given: Listed): string {
  const {
    states: { done, skipped },
    sums,
    currency,
  } = given;
  const money = (amount: string) => moneyText(amount, currency ?? undefined);
  const all = sums.inAllRows === sums.requested ? '' : ` of ${money(sums.inAllRows)} in all rows`;
  const parts = [`requested ${money(sums.requested)}${all}`];
  if (done > 0 || skipped === 0) parts.push(`granted ${money(sums.granted)}`);
  if (skipped > 0) parts.push(`granted before ${money(sums.before.granted)}`);
  const before = skipped > 0 ? ' (those requested before included)' : '';
  if (sums.grantedBelow > 0) parts.push(`${counted(sums.grantedBelow, 'limit')} below the request${before}`);
  return [...parts, ...mixedWords(given)].join(', ');
}

function column(text: string, width: number): string {
  return (text.length > width ? `${text.slice(0, width - 1)}…` : text).padEnd(width);
}
