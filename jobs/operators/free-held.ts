import type { Calls } from '../../src/ledger/calls.ts';
import type { FeedDeps } from '../rows/feed.ts';
import { isInDoubt } from '../rows/in-doubt.ts';
import { walkRows } from '../rows/walk-rows.ts';
import { sendAgain } from './send-again.ts';

export type FreeDeps = FeedDeps & { calls: Calls };

/**
 * Puts held rows of all portfolios back to their step, where none of its calls is unknown any more: a person, or a
 * late answer, has said what became of it. Nobody asked for these rows themselves, so one whose portfolio was given up stays so.
 */
export async function freeHeld(deps: FreeDeps): Promise<number> {
  let freed = 0;
  for (const name of await deps.portfolios.names()) {
    freed += await walkRows(deps.rows, name, 'held', async (found) => {
      return (await isInDoubt(found, deps.calls)) ? false : sendAgain(found.row, 'held', deps, false);
    });
  }
  return freed;
}
