import type { Command } from 'commander';
import { type Cancelled, cancelRows } from '../../jobs/operators/cancel-rows.ts';
import { counted } from '../../src/counted.ts';
import { onPortfolio } from '../opening/on-portfolio.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** For the answer to be written down. */
const ANSWER_MARGIN_MS = 5_000;

/** `limitline cancel NAME`: gives up the rows that have not been sent. */
export function register(program: Command, terminal: Terminal): void {
  program
    .command('cancel')
    .argument('<name>', 'the portfolio')
    .description("cancel a portfolio's rows that are not sent yet; importing them again brings them back")
    .action(async (name: string) => {
      const ended = await onPortfolio(name, (context) => {
        const awaitMs = context.settings.SERVICE_TIMEOUT_MS + ANSWER_MARGIN_MS;
        return cancelRows({ portfolio: name, awaitMs }, context);
      });
      terminal.print(cancelWords(name, ended), { portfolio: name, ...ended });
    });
}

function cancelWords(name: string, { cancelled, answered, open }: Cancelled): string {
  const rows = counted(cancelled, 'row');
  const parts = [
    `${rows} of portfolio ${name} ${cancelled === 1 ? 'is' : 'are'} cancelled; nothing more is sent for it.`,
  ];
  if (answered > 0) {
    const [was, has] = answered === 1 ? ['was', 'has'] : ['were', 'have'];
    parts.push(`${counted(answered, 'call')} ${was} on the way and ${has} been answered.`);
  }
  if (open > 0) {
    const calls = `${counted(open, 'call')} ${open === 1 ? 'has' : 'have'} not been answered`;
    parts.push(
      `${calls} yet; ${open === 1 ? 'its answer decides how its row ends' : 'their answers decide how their rows end'}.`,
    );
  }
  return parts.join(' ');
}
