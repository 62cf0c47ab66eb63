import { LimitlineError } from '../../src/errors.ts';
import type { AskedFor } from '../../src/ledger/approvals/approval-look.ts';
import type { RowState } from '../../src/ledger/schema/row.ts';
import type { RowId } from '../../src/ledger/schema/schema.ts';
import { type FoundRow, matches, NOBODY } from '../../src/ledger/search/row-filter.ts';
import { type FeedDeps, feed } from '../rows/feed.ts';
import { type AskDeps, askFirst, justThese } from './ask-first.ts';
import { type Retry, rowAtLine, rowByName } from './explain-rows.ts';
import { reviveGivenUpSupplier, sendAgain } from './free-held.ts';

/** The result of a retry of one row. `stays`: its state does not allow one. `unknown`: there is no such row. */
type RowRetry =
  | { is: 'again' }
  | { is: 'waits'; asked: AskedFor }
  | { is: 'stays'; state: RowState }
  | { is: 'unknown' };

/**
 * Sends one refused row again, from the step that refused it. Rows in other states stay: held rows need a person's answer
 * first, done rows are never sent twice, and open rows go on by themselves.
 *
 * @param by who asks for it
 * @param from the state that the row must be in
 */
export async function retryRow(
  row: RowId,
  by: string,
  deps: FeedDeps & AskDeps,
  from: 'refused' | 'cancelled' = 'refused',
): Promise<RowRetry> {
  const [found] = await deps.rows.read([row]);
  if (!found) return { is: 'unknown' };
  const stays = async (): Promise<RowRetry> => {
    const [now] = await deps.rows.read([row]);
    return { is: 'stays', state: now?.state ?? found.state };
  };
  if (found.state !== from) return stays();
  const asking = { portfolio: row.portfolio, kind: 'retry', by } as const;
  const asked = await askFirst(asking, () => justThese([{ found: { row, result: found } }]), deps);
  if (asked) return asked.rows > 0 ? { is: 'waits', asked } : stays();
  if (from === 'cancelled') await reviveGivenUpSupplier(row.portfolio, deps);
  if (!(await sendAgain(row, from, deps, true, by))) return stays();
  await feed(deps);
  return { is: 'again' };
}

/**
 * The row that a person names by line or key; undefined where its state, problem or cause does not match.
 *
 * @throws LimitlineError `USAGE` where several rows have that line number, or no row has that name
 */
export async function rowToRetry(
  { portfolio, state, line, row: name, error, cause }: Retry,
  deps: Pick<FeedDeps, 'rows' | 'portfolios'>,
): Promise<FoundRow | undefined> {
  const found = await (name === undefined
    ? rowAtLine(portfolio, { state, line: line ?? 0 }, deps)
    : rowByName(portfolio, name, deps));
  if (typeof found === 'string') {
    throw new LimitlineError('USAGE', name === undefined ? `${found} Name one of these rows with --row ID.` : found);
  }
  const filter = { ...(error === undefined ? {} : { problem: error }), ...(cause === undefined ? {} : { cause }) };
  return found && matches(found, filter, NOBODY) ? found : undefined;
}

/** Sends the row of {@link rowToRetry} again; undefined where there is none. @throws what it throws */
export async function retryNamed(retry: Retry, by: string, deps: FeedDeps & AskDeps): Promise<RowRetry | undefined> {
  const found = await rowToRetry(retry, deps);
  return found && retryRow(found.row, by, deps, retry.state);
}
