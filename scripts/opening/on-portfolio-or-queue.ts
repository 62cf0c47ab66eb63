import { Option } from 'commander';
import type { Context } from '../../src/context.ts';
import { LimitlineError } from '../../src/errors.ts';
import { QUEUES, type QueueName } from '../../src/queue/queues.ts';
import { onPortfolio, withContext } from './on-portfolio.ts';

/** `--queue NAME`: all rows of the account at one step, instead of a portfolio. */
export function queueOption(does: string): Option {
  return new Option('--queue <name>', `${does} one of the queues instead, for all portfolios`).choices(QUEUES);
}

/**
 * Acts on the given portfolio or queue, and answers which it was.
 *
 * @throws LimitlineError `USAGE` where both are given, or neither
 */
export async function onPortfolioOrQueue(
  { name, queue }: { name: string | undefined; queue: QueueName | undefined },
  run: {
    portfolio: (name: string, context: Context) => Promise<unknown>;
    queue: (queue: QueueName, context: Context) => Promise<unknown>;
  },
): Promise<{ portfolio: string } | { queue: QueueName }> {
  if (name !== undefined && queue === undefined) {
    await onPortfolio(name, (context) => run.portfolio(name, context));
    return { portfolio: name };
  }
  if (queue !== undefined && name === undefined) {
    await withContext((context) => run.queue(queue, context));
    return { queue };
  }
  throw new LimitlineError('USAGE', 'Name a portfolio, or a queue with --queue, and not both.');
}
