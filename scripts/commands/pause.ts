import type { Command } from 'commander';
import { commandLineActor } from '../../src/actor.ts';
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
      const paused = await onPortfolioOrQueue(
        { name, queue },
        {
          portfolio: (portfolio, { portfolios }) =>
            portfolios.pause(portfolio, pausedBy(commandLineActor(), Date.now())),
          queue: (one, { queues }) => queues.pauseQueue(one),
        },
      );
      const words =
        'queue' in paused
          ? `The queue ${paused.queue} is paused for all portfolios; go on with: npx limitline resume --queue ${paused.queue}`
          : `Portfolio ${paused.portfolio} is paused; go on with: npx limitline resume "${paused.portfolio}"`;
      terminal.print(words, { ...paused, paused: true });
    });
}
