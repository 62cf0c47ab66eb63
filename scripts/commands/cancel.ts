import type { Command } from 'commander';
import { cancelRows } from '../../jobs/index.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { onPortfolio } from './on-portfolio.ts';

/** `limitline cancel NAME`: gives up the rows that have not been sent. */
export function register(program: Command, terminal: Terminal): void {
  program
    .command('cancel')
    .argument('<name>', 'the portfolio')
    .description("give up a portfolio's rows that are not sent yet; importing them again brings them back")
    .action(async (name: string) => {
      const rows = await onPortfolio(name, (context) => cancelRows.run(cancelRows.parse({ portfolio: name }), context));
      terminal.print(`${rows} rows of portfolio ${name} are cancelled.`, { portfolio: name, cancelled: rows });
    });
}
