import type { Command } from 'commander';
import { feed } from '../../jobs/rows/feed.ts';
import { onPortfolio } from '../opening/on-portfolio.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** `limitline resume NAME`: lets a paused portfolio go on. */
export function register(program: Command, terminal: Terminal): void {
  program
    .command('resume')
    .argument('<name>', 'the portfolio')
    .description('let a paused portfolio go on')
    .action(async (name: string) => {
      await onPortfolio(name, async (context) => {
        await context.portfolios.resume(name);
        await feed(context);
      });
      terminal.print(`Portfolio ${name} is resumed: it goes on as soon as workers run.`, {
        portfolio: name,
        paused: false,
      });
    });
}
