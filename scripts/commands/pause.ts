import type { Command } from 'commander';
import { onPortfolio } from '../opening/on-portfolio.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** `limitline pause NAME`: no new call for it starts, in any process; calls in flight are answered. */
export function register(program: Command, terminal: Terminal): void {
  program
    .command('pause')
    .argument('<name>', 'the portfolio')
    .description('start no new calls for a portfolio; calls in flight are still answered')
    .action(async (name: string) => {
      await onPortfolio(name, ({ portfolios }) => portfolios.pause(name, 'by request'));
      terminal.print(`Portfolio ${name} is paused; go on with: npx limitline resume "${name}"`, {
        portfolio: name,
        paused: true,
      });
    });
}
