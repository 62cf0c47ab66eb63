import { setTimeout as sleep } from 'node:timers/promises';
import { commandLineActor } from '../../src/actor.ts';
import type { PortfolioState } from '../../src/ledger/portfolios/portfolio.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import type { Rows } from '../../src/ledger/rows/rows.ts';
import { rowsIn, UNFINISHED_STATES } from '../../src/ledger/schema/row.ts';
import { callsOf } from '../rows/calls-of.ts';
import { walkRows } from '../rows/walk-rows.ts';

/**
 * What became of a portfolio's open rows: given up; answered, since their call had left before; still open, since theirs
 * is not answered, or has nobody to answer it; what they were before they waited to be sent again.
 */
export type Cancelled = { cancelled: number; answered: number; open: number; restored: number };

/** How often calls under way are looked at. */
const LOOK_EVERY_MS = 100;

/**
 * Gives up the rows of a portfolio whose limit has not been sent. From the moment of the mark no claim of theirs
 * succeeds, whoever moves them; calls that left before are awaited, and their outcome counts. Importing a row's line
 * again, or `retry --state cancelled`, brings it back.
 *
 * @param awaitMs so long calls under way are awaited: no less than the longest call
 * @param by who gives them up: by default whoever runs the command
 */
export async function cancelRows(
  { portfolio, awaitMs = 0, by = commandLineActor() }: { portfolio: string; awaitMs?: number; by?: string },
  deps: { rows: Rows; portfolios: Portfolios },
): Promise<Cancelled> {
  const before = await deps.portfolios.read(portfolio);
  await deps.portfolios.cancel(portfolio, by);
  const deadlineMs = performance.now() + awaitMs;
  let counts = await giveUpRows(portfolio, deps);
  // Those that only waited to be sent again are what they were before.
  const { restored } = counts;
  while (counts.underWay > 0 && performance.now() < deadlineMs) {
    await sleep(LOOK_EVERY_MS);
    counts = await giveUpRows(portfolio, deps);
  }
  // A worker that meets the mark gives its row up itself, so the states tell how many there are.
  const after = await deps.portfolios.read(portfolio);
  const cancelled = after.states.cancelled - before.states.cancelled;
  const open = counts.underWay + counts.left;
  return { cancelled, answered: Math.max(0, openRows(before) - cancelled - restored - open), open, restored };
}

function openRows({ states }: PortfolioState): number {
  return rowsIn(states, UNFINISHED_STATES);
}

/** Gives up what can be, in the order in which rows move on, so that none is passed over; counts what is under way. */
async function giveUpRows(portfolio: string, { rows }: { rows: Rows }) {
  const counts = { underWay: 0, left: 0, restored: 0 };
  for (const state of UNFINISHED_STATES) {
    await walkRows(rows, portfolio, state, async (found) => {
      const answer = await rows.cancel(found.row, callsOf(found));
      if (answer === 'under way') counts.underWay += 1;
      if (answer === 'left') counts.left += 1;
      if (answer === 'restored') counts.restored += 1;
      return answer === 'cancelled' || answer === 'restored';
    });
  }
  return counts;
}
