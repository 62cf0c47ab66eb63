import type { Command } from 'commander';
import { commandLineActor } from '../../src/actor.ts';
import { hasMore } from '../../src/ledger/portfolios/summary.ts';
import { pausedBy } from '../../src/ledger/schema/pause-reasons.ts';
import type { QueueName } from '../../src/queue/queues.ts';
import { onPortfolioOrQueue, queueOption } from '../opening/on-portfolio.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** `limitline pause NAME`: no process starts a new call for the portfolio. Calls in flight are answered. */
export function register(program: Command, terminal: Terminal): void {
  program
    .command('pause')
    .argument('[name]', 'the portfolio')
    .addOption(queueOption('stop'))
    .action(async (name: string | undefined, { queue }: { queue?: QueueName }) => {
      let isOver = false;
      const paused = await onPortfolioOrQueue(
        { name, queue },
        {
          portfolio: async (portfolio, { portfolios }) => {
            await portfolios.pause(portfolio, pausedBy(commandLineActor(), Date.now()));
            isOver = !hasMore(await portfolios.read(portfolio));
          },
          queue: (one, { queues }) => queues.pauseQueue(one),
        },
      );
      const words =
        'queue' in paused
          ? `The queue ${paused.queue} is paused for all portfolios; go on with: npx limitline resume --queue ${paused.queue}`
          : `Portfolio ${paused.portfolio} is paused${isOver ? ', though nothing of it is left to send now' : ''}; go on with: npx limitline resume "${paused.portfolio}"`;
      terminal.print(words, { ...paused, paused: true });
    });
}
