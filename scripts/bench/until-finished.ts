import { setTimeout as sleep } from 'node:timers/promises';
import { LimitlineError } from '../../src/errors.ts';
import type { PortfolioState } from '../../src/ledger/portfolios/portfolio.ts';

/** How often the portfolio is looked at. The times of its beginning and end are the ledger's own. */
const LOOK_EVERY_MS = 100;

/**
 * The portfolio once its last row has ended.
 *
 * @throws LimitlineError with the signal's reason, where that is one, else `USAGE` with where its rows stand
 */
export async function untilFinished(read: () => Promise<PortfolioState>, signal: AbortSignal): Promise<PortfolioState> {
  for (;;) {
    const state = await read();
    if (state.finishedMs !== undefined) return state;
    if (signal.aborted) {
      if (signal.reason instanceof LimitlineError) throw signal.reason;
      throw new LimitlineError('USAGE', `The portfolio did not end: ${JSON.stringify(state.states)}.`);
    }
    await sleep(LOOK_EVERY_MS);
  }
}
