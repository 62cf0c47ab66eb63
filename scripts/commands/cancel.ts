import type { Command } from 'commander';
import type { Cancelled } from '../../jobs/cancel-rows.ts';
import { cancelRows } from '../../jobs/index.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { onPortfolio } from './on-portfolio.ts';

/** For the answer to be written down. */
const ANSWER_MARGIN_MS = 5_000;

/** `limitline cancel NAME`: gives up the rows that have not been sent. */
export function register(program: Command, terminal: Terminal): void {
  program
    .command('cancel')
    .argument('<name>', 'the portfolio')
    .description("give up a portfolio's rows that are not sent yet; importing them again brings them back")
    .action(async (name: string) => {
      const ended = await onPortfolio(name, (context) => {
        const awaitMs = context.settings.SERVICE_TIMEOUT_MS + ANSWER_MARGIN_MS;
        return cancelRows.run(cancelRows.parse({ portfolio: name, awaitMs }), context);
      });
      terminal.print(cancelWords(name, ended), { portfolio: name, ...ended });
    });
}

function cancelWords(name: string, { cancelled, answered, open }: Cancelled): string {
  const parts = [`${cancelled} rows of portfolio ${name} are cancelled; nothing more is sent for it.`];
  if (answered > 0) parts.push(`${answered} calls were on their way and have been answered.`);
  if (open > 0) {
    parts.push(`${open} calls have not been answered; where workers run, their rows end with what the answer is.`);
  }
  return parts.join(' ');
}
