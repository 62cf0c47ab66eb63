import type { Command } from 'commander';
import { feed } from '../../jobs/rows/feed.ts';
import type { Context } from '../../src/context.ts';
import { counted } from '../../src/counted.ts';
import { countLiving } from '../../src/ledger/calls/fleet.ts';
import type { PortfolioState } from '../../src/ledger/portfolios/portfolio.ts';
import { openRows } from '../../src/ledger/portfolios/summary.ts';
import type { QueueName } from '../../src/queue/queues.ts';
import { onPortfolioOrQueue, queueOption } from '../opening/on-portfolio.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** `limitline resume NAME`: resumes a paused portfolio or queue. */
export function register(program: Command, terminal: Terminal): void {
  program
    .command('resume')
    .argument('[name]', 'the portfolio')
    .addOption(queueOption('let go on'))
    .action(async (name: string | undefined, { queue }: { queue?: QueueName }) => {
      let first: number | undefined;
      let [workers, left] = [0, ''];
      const look = async ({ ledger, keys }: Context) => {
        workers = await countLiving({ connection: ledger, keys });
      };
      const resumed = await onPortfolioOrQueue(
        { name, queue },
        {
          portfolio: async (portfolio, context) => {
            first = await context.portfolios.resume(portfolio);
            await feed(context);
            left = nothingToSend(await context.portfolios.read(portfolio));
            await look(context);
          },
          queue: async (one, context) => {
            await context.queues.resumeQueue(one);
            await look(context);
          },
        },
      );
      const what = 'queue' in resumed ? `The queue ${resumed.queue}` : `Portfolio ${resumed.portfolio}`;
      const which = first === undefined ? '' : ` with its first ${counted(first, 'row')}`;
      const then = left || `it goes on${which} ${workers > 0 ? 'now' : 'as soon as workers run'}`;
      terminal.print(`${what} is resumed: ${then}.`, { ...resumed, paused: false });
    });
}

/** Why a portfolio sends nothing although it is resumed; empty if it sends. */
function nothingToSend({ importing, states }: Pick<PortfolioState, 'importing' | 'states'>): string {
  if (importing || openRows({ states }) > 0) return '';
  const waiting = [
    ...(states.held > 0 ? [`${counted(states.held, 'row')} held for an answer`] : []),
    ...(states.awaiting > 0 ? [`${counted(states.awaiting, 'row')} waiting for approval`] : []),
  ];
  return waiting.length === 0
    ? 'nothing of it is left to send'
    : `nothing of it goes before a person acts (${waiting.join(', ')})`;
}
