import type { AskedFor } from '../../src/ledger/approvals/answered.ts';
import type { RowState } from '../../src/ledger/row.ts';
import type { RowId } from '../../src/ledger/row-id.ts';
import { type FeedDeps, feed } from '../rows/feed.ts';
import { type AskDeps, askFirst, justThese } from './ask-first.ts';
import { sendAgain } from './send-again.ts';

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
 * @param by who wishes it
 */
export async function retryRow(row: RowId, by: string, deps: FeedDeps & AskDeps): Promise<RowRetry> {
  const [found] = await deps.rows.read([row]);
  if (!found) return { is: 'unknown' };
  const stays = async (): Promise<RowRetry> => {
    const [now] = await deps.rows.read([row]);
    return { is: 'stays', state: now?.state ?? found.state };
  };
  if (found.state !== 'refused') return stays();
  const asking = { portfolio: row.portfolio, kind: 'retry', by } as const;
  const asked = await askFirst(asking, () => justThese([{ found: { row, result: found } }]), deps);
  if (asked) return asked.rows > 0 ? { is: 'waits', asked } : stays();
  if (!(await sendAgain(row, 'refused', deps, true, by))) return stays();
  await feed(deps);
  return { is: 'again' };
}
