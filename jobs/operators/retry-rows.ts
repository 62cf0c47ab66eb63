import { commandLineActor } from '../../src/actor.ts';
import { LimitlineError } from '../../src/errors.ts';
import { type FeedDeps, feed } from '../rows/feed.ts';
import { supplierJob } from '../rows/step-jobs.ts';
import { type FoundRow, walkRows } from '../rows/walk-rows.ts';
import { GIVEN_UP } from '../steps/create-supplier.ts';
import { rowAtLine, rowByName } from './find-row.ts';
import { sendAgain } from './send-again.ts';

/** Which rows are to be sent again: all of this state, or those of them that the rest names. */
export type Retry = {
  portfolio: string;
  state: 'refused' | 'cancelled';
  /** One line, or one row by its key or its whole name. */
  line?: number | undefined;
  row?: string | undefined;
  /** Text that the problem must contain, in any case. */
  error?: string | undefined;
  /** Who sends them again: by default whoever runs the command. */
  by?: string | undefined;
};

/**
 * Sends refused (or cancelled) rows again, from the step that refused them: the steps before it have their ids in the
 * ledger. They go through the queues like any others, so at the common pace. Answers how many rows go again.
 *
 * @throws LimitlineError `USAGE` where several such rows bear the line's number
 */
export async function retryRows(retry: Retry, deps: FeedDeps): Promise<number> {
  const { portfolio, state, by = commandLineActor() } = retry;
  if (state === 'cancelled') await reviveGivenUpSupplier(portfolio, deps);
  const error = retry.error?.toLowerCase();
  const visit = async (found: FoundRow): Promise<boolean> =>
    error === undefined || problemOf(found).toLowerCase().includes(error)
      ? sendAgain(found.row, state, deps, true, by)
      : false;
  const isOne = retry.line !== undefined || retry.row !== undefined;
  const retried = isOne ? await visitOne(retry, visit, deps) : await walkRows(deps.rows, portfolio, state, visit);
  await feed(deps);
  return retried;
}

/** A supplier that was given up with its portfolio is asked for again with the portfolio's cancelled rows. */
export async function reviveGivenUpSupplier(portfolio: string, { portfolios, queues }: FeedDeps): Promise<void> {
  const { supplier } = await portfolios.read(portfolio);
  if (supplier?.problem !== GIVEN_UP) return;
  await queues.forget([supplierJob(portfolio).data]);
  await portfolios.reviveSupplier(portfolio, supplier);
}

async function visitOne(
  { portfolio, state, line, row: name }: Retry,
  visit: (found: FoundRow) => Promise<boolean>,
  deps: FeedDeps,
): Promise<number> {
  const found = await (name === undefined
    ? rowAtLine(portfolio, { state, line: line ?? 0 }, deps)
    : rowByName(portfolio, name, deps));
  if (typeof found === 'string') {
    throw new LimitlineError('USAGE', name === undefined ? `${found} Choose one with --row.` : found);
  }
  return found?.result.state === state && (await visit(found)) ? 1 : 0;
}

function problemOf({ result: { problem } }: FoundRow): string {
  return `${problem?.message ?? ''} ${problem?.body ?? ''}`;
}
