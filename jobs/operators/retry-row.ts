import type { RowState } from '../../src/ledger/row.ts';
import type { RowId } from '../../src/ledger/row-id.ts';
import { type FeedDeps, feed } from '../rows/feed.ts';
import { sendAgain } from './send-again.ts';

/** What became of sending one row again: it goes, or it stays as it is, or there is none. */
export type RowRetry = { is: 'again' } | { is: 'stays'; state: RowState } | { is: 'unknown' };

/**
 * Sends one refused row again, from the step that refused it. One in any other state stays: what is held needs a person's word
 * first, what is done is never sent twice, and what is under way goes on by itself.
 */
export async function retryRow(row: RowId, deps: FeedDeps): Promise<RowRetry> {
  const [found] = await deps.rows.read([row]);
  if (!found) return { is: 'unknown' };
  if (found.state !== 'refused' || !(await sendAgain(row, 'refused', deps))) {
    const [now] = await deps.rows.read([row]);
    return { is: 'stays', state: now?.state ?? found.state };
  }
  await feed(deps);
  return { is: 'again' };
}
