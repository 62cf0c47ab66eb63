import type { RowId } from '../../src/ledger/schema/schema.ts';
import type { FeedDeps } from '../rows/feed.ts';

/**
 * Puts a row back to its step, and answers whether it did: a row that left this state meanwhile stays where it is.
 *
 * @param isMeant whether somebody asked for this very row: then it goes even where its portfolio was given up
 * @param by who did, where the row's story has not been told of it yet
 */
export async function sendAgain(
  row: RowId,
  state: 'refused' | 'cancelled' | 'held',
  deps: FeedDeps,
  isMeant = true,
  by: string | undefined = undefined,
): Promise<boolean> {
  // Its ended job goes first: an add with an id that BullMQ still knows is ignored.
  await deps.queues.forget([row]);
  return deps.rows.requeue(row, state, isMeant, { by });
}
