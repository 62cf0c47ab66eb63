import type { Command } from 'commander';
import { type Listed, listPortfolios } from '../../jobs/operators/list-portfolios.ts';
import type { Context } from '../../src/context.ts';
import { withContext } from '../opening/on-portfolio.ts';
import { portfolioWords } from '../report/portfolio-words.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** `limitline portfolios`: all portfolios of the account, and how each stands. */
export function register(program: Command, terminal: Terminal): void {
  program
    .command('portfolios')
    .description('all portfolios of the account: file, time, states and sums; the newest last')
    .action(() => withContext((context) => printPortfolios(context, terminal)));
}

/** Prints the list: in words as it is found, since there may be thousands of them, or as JSON in one piece. */
export async function printPortfolios(context: Context, terminal: Terminal): Promise<void> {
  const { account, redis } = context;
  const all: Listed[] = [];
  let isEmpty = true;
  for await (const page of listPortfolios(context)) {
    isEmpty = false;
    if (terminal.json) all.push(...page);
    for (const one of page) terminal.answer(portfolioWords(one));
  }
  if (terminal.json) terminal.print('', { account, portfolios: all });
  else if (isEmpty) terminal.answer(`Account ${account} has no portfolio yet (ledger: ${redis.where}).`);
}
