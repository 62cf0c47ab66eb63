import { commandLineActor } from '../../src/actor.ts';
import { LimitlineError } from '../../src/errors.ts';
import type { AskedFor } from '../../src/ledger/approvals/answered.ts';
import { type FeedDeps, feed } from '../rows/feed.ts';
import { supplierJob } from '../rows/step-jobs.ts';
import { type FoundRow, foundPages } from '../rows/walk-rows.ts';
import { GIVEN_UP } from '../steps/create-supplier.ts';
import { type AskDeps, asDecided, askFirst, type Wished } from './ask-first.ts';
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

/** How many rows go again; or what waits for another person's approval instead: then none goes. */
export type Retried = { rows: number; waits?: AskedFor };

/**
 * Sends refused (or cancelled) rows again, from the step that refused them: the steps before it have their ids in the
 * ledger. They go through the queues like any others, so at the common pace.
 *
 * @throws LimitlineError `USAGE` where several such rows bear the line's number
 */
export async function retryRows(retry: Retry, deps: FeedDeps & AskDeps): Promise<Retried> {
  const { portfolio, state, by = commandLineActor() } = retry;
  const meant = () => rowsMeant(retry, deps);
  const waits = await askFirst({ portfolio, kind: 'retry', by }, meant, deps);
  if (waits) return { rows: 0, ...(waits.rows > 0 ? { waits } : {}) };
  if (state === 'cancelled') await reviveGivenUpSupplier(portfolio, deps);
  let rows = 0;
  for await (const page of asDecided(meant(), deps)) {
    const sent = await Promise.all(page.map(({ found }) => sendAgain(found.row, state, deps, true, by)));
    rows += sent.filter(Boolean).length;
  }
  await feed(deps);
  return { rows };
}

/** A supplier that was given up with its portfolio is asked for again with the portfolio's cancelled rows. */
export async function reviveGivenUpSupplier(portfolio: string, { portfolios, queues }: FeedDeps): Promise<void> {
  const { supplier } = await portfolios.read(portfolio);
  if (supplier?.problem !== GIVEN_UP) return;
  await queues.forget([supplierJob(portfolio).data]);
  await portfolios.reviveSupplier(portfolio, supplier);
}

/** The rows that are meant, as they are now. */
async function* rowsMeant(retry: Retry, deps: FeedDeps): AsyncGenerator<readonly Wished[]> {
  const { portfolio, state, line, row: name } = retry;
  const error = retry.error?.toLowerCase();
  const isMeant = (found: FoundRow) => error === undefined || problemOf(found).toLowerCase().includes(error);
  if (line === undefined && name === undefined) {
    for await (const page of foundPages(deps.rows, portfolio, state)) {
      yield page.filter(isMeant).map((found) => ({ found }));
    }
    return;
  }
  const found = await (name === undefined
    ? rowAtLine(portfolio, { state, line: line ?? 0 }, deps)
    : rowByName(portfolio, name, deps));
  if (typeof found === 'string') {
    throw new LimitlineError('USAGE', name === undefined ? `${found} Choose one with --row.` : found);
  }
  if (found?.result.state === state && isMeant(found)) yield [{ found }];
}

function problemOf({ result: { problem } }: FoundRow): string {
  return `${problem?.message ?? ''} ${problem?.body ?? ''}`;
}
