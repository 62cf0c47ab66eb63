import { isPending, type PortfolioState, type Portfolios } from '../src/ledger/portfolios.ts';
import { OPEN_STATES } from '../src/ledger/rows.ts';

/** Whether nothing of a portfolio is under way or still to come: no row, no import, no supplier. Held rows wait for a person. */
export function isSettled({ importing, states, supplier }: PortfolioState): boolean {
  return !importing && !(supplier && isPending(supplier)) && openRows(states) === 0;
}

/** The rows that are not at their end. */
export function openRows(states: PortfolioState['states']): number {
  return OPEN_STATES.reduce((sum, name) => sum + states[name], 0);
}

/** What is open: the portfolios that go on by themselves, and those that are paused, which wait for a person. */
export type Open = { going: PortfolioState[]; paused: PortfolioState[] };

/** Looks what is open, of one portfolio or of the whole account. */
export async function lookAtOpen(name: string | undefined, portfolios: Portfolios): Promise<Open> {
  const found = name === undefined ? await portfolios.open() : [await portfolios.read(name)];
  const open = found.filter((state) => !isSettled(state));
  return {
    going: open.filter(goesOn),
    paused: open.filter((state) => !goesOn(state)),
  };
}

/** An import ends by itself, also where its portfolio is paused. */
function goesOn({ paused, importing }: PortfolioState): boolean {
  return paused === undefined || importing;
}
