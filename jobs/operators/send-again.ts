import type { RowId } from '../../src/ledger/schema/schema.ts';
import type { FeedDeps } from '../rows/feed.ts';

/**
 * Queues a row again at its step. Answers false if the row has left this state meanwhile.
 *
 * @param isMeant whether a person chose this very row: then it is sent even if its portfolio was cancelled
 * @param by who asked for it, unless the row's story names them already
 */
export async function sendAgain(
  row: RowId,
  state: 'refused' | 'cancelled' | 'held',
  deps: FeedDeps,
  isMeant = true,
  by: string | undefined = undefined,
): Promise<boolean> {
  // The ended job goes first: BullMQ ignores a new job with a known id.
  await deps.queues.forget([row]);
  return deps.rows.requeue(row, state, isMeant, { by });
}
