import type { Command } from 'commander';
import { feed } from '../../jobs/rows/feed.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { onPortfolio } from './on-portfolio.ts';

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
      terminal.print(`Portfolio ${name} goes on, where workers run.`, { portfolio: name, paused: false });
    });
}
