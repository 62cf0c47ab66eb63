import type { Command } from 'commander';
import { type Listed, listPortfolios } from '../../jobs/operators/list-portfolios.ts';
import type { Context } from '../../src/context.ts';
import { withContext } from '../opening/on-portfolio.ts';
import { archivedAt, archivedFacts, archivedWords, othersArchived } from '../report/archived-report.ts';
import { portfolioWords } from '../report/portfolio-words.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** `limitline portfolios`: lists all portfolios of the account. */
export function register(program: Command, terminal: Terminal): void {
  program
    .command('portfolios')
    .description('list all portfolios, newest last: file, start, states of the rows and sums')
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
