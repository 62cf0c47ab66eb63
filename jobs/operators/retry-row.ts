import { LimitlineError } from '../../src/errors.ts';
import type { AskedFor } from '../../src/ledger/approvals/approval-look.ts';
import type { RowState } from '../../src/ledger/schema/row.ts';
import type { RowId } from '../../src/ledger/schema/schema.ts';
import { matches, NOBODY } from '../../src/ledger/search/row-filter.ts';
import { type FeedDeps, feed } from '../rows/feed.ts';
import { type AskDeps, askFirst, justThese } from './ask-first.ts';
import type { Retry } from './explain-rows.ts';
import { rowAtLine, rowByName } from './find-row.ts';
import { sendAgain } from './send-again.ts';
import { reviveGivenUpSupplier } from './supplier-again.ts';

/** What became of sending one row again: it goes, waits for another person's approval, or stays as it is; or there is none. */
export type RowRetry =
  | { is: 'again' }
  | { is: 'waits'; asked: AskedFor }
  | { is: 'stays'; state: RowState }
  | { is: 'unknown' };

/**
 * Sends one refused row again, from the step that refused it. One in any other state stays: what is held needs a person's word
 * first, what is done is never sent twice, and what is under way goes on by itself.
 *
 * @param by who asks for it
 * @param from the state from which it goes: somebody may mean one that was given up
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
 * Sends the one row again that a person names by its line or by its key; nothing is answered where it is in another state, or its problem
 * does not contain the text.
 *
 * @throws LimitlineError `USAGE` where several rows have that line number, or no row has that name
 */
export async function retryNamed(retry: Retry, by: string, deps: FeedDeps & AskDeps): Promise<RowRetry | undefined> {
  const { portfolio, state, line, row: name, error = '' } = retry;
  const found = await (name === undefined
    ? rowAtLine(portfolio, { state, line: line ?? 0 }, deps)
    : rowByName(portfolio, name, deps));
  if (typeof found === 'string') {
    throw new LimitlineError('USAGE', name === undefined ? `${found} Name one of these rows with --row ID.` : found);
  }
  if (!found || !matches(found, error === '' ? {} : { problem: error }, NOBODY)) return undefined;
  return retryRow(found.row, by, deps, state);
}
