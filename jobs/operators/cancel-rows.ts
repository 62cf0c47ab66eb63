import { setTimeout as sleep } from 'node:timers/promises';
import { commandLineActor } from '../../src/actor.ts';
import type { HostedSessions } from '../../src/ledger/calls/sessions.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import type { Rows } from '../../src/ledger/rows/rows.ts';
import { rowsIn, UNFINISHED_STATES } from '../../src/ledger/schema/row.ts';
import { callsOf, walkRows } from '../rows/walk-rows.ts';

/**
 * The results for a portfolio's open rows. `answered`: their call had left before, and an answer came. `open`: their call is
 * not answered yet. `restored`: they only waited to be sent again, and got their earlier state back.
 */
export type Cancelled = { cancelled: number; answered: number; open: number; restored: number };

/** How often calls under way are checked, in ms. */
const LOOK_EVERY_MS = 100;

/**
 * Cancels the rows of a portfolio whose limit has not been sent. Once the portfolio is cancelled in the ledger, no process can
 * claim a call of its rows. Calls that left before are awaited, and their answers count. Importing a line again, or `retry --state
 * cancelled`, brings its row back.
 *
 * @param awaitMs how long to wait for calls under way: no less than the longest call
 * @param by who cancels: by default whoever runs the command
 */
export async function cancelRows(
  { portfolio, awaitMs = 0, by = commandLineActor() }: { portfolio: string; awaitMs?: number; by?: string },
  deps: { rows: Rows; portfolios: Portfolios; calls: { sessions: Pick<HostedSessions, 'underWay'> } },
): Promise<Cancelled> {
  const before = await deps.portfolios.read(portfolio);
  const atMs = await deps.portfolios.cancel(portfolio, by);
  const deadlineMs = performance.now() + awaitMs;
  let counts = await giveUpRows(portfolio, deps);
  // `restored` is taken from the first pass, in which rows that only waited to be sent again got their earlier state back.
  const { restored } = counts;
  while (counts.underWay > 0 && performance.now() < deadlineMs) {
    await sleep(LOOK_EVERY_MS);
    counts = await giveUpRows(portfolio, deps);
  }
  // From now on no session can be claimed. Sessions in flight are awaited, so that no call leaves after this function ends.
  let sent = await deps.calls.sessions.underWay(portfolio);
  while (sent.length > 0 && performance.now() < deadlineMs) {
    await sleep(LOOK_EVERY_MS);
    sent = await deps.calls.sessions.underWay(portfolio, sent);
  }
  // Workers cancel rows of a cancelled portfolio, too. So the portfolio's counts tell how many were cancelled.
  const after = await deps.portfolios.read(portfolio);
  const cancelled = after.states.cancelled - before.states.cancelled;
  if (cancelled > 0) await deps.portfolios.noteRowsGivenUp(portfolio, atMs);
  const open = counts.underWay + counts.left;
  return {
    cancelled,
    answered: Math.max(0, rowsIn(before.states, UNFINISHED_STATES) - cancelled - restored - open),
    open,
    restored,
  };
}

/** Cancels what can be cancelled, in the order of steps, so that no row moves past the search. Counts calls under way. */
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
