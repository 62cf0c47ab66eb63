import { isPending, type PortfolioState } from '../../src/ledger/portfolio.ts';
import type { Portfolios } from '../../src/ledger/portfolios.ts';
import { OPEN_STATES } from '../../src/ledger/row.ts';

/** Whether nothing of a portfolio is under way or still to come: no row, no import, no supplier. Held rows wait for a person. */
export function isFinished({ importing, states, supplier }: PortfolioState): boolean {
  return !importing && !(supplier && isPending(supplier)) && openRows(states) === 0;
}

/** The rows that are not at their end. */
export function openRows(states: PortfolioState['states']): number {
  return OPEN_STATES.reduce((sum, name) => sum + states[name], 0);
}

/**
 * What is open: the portfolios that go on by themselves, those that are paused, which wait for a person, and those whose last
 * import was killed or given up before the end of its file, which wait for that file.
 */
export type Open = { going: PortfolioState[]; paused: PortfolioState[]; interrupted: PortfolioState[] };

/** Looks what is open, of one portfolio or of the whole account. */
export async function lookAtOpen(
  name: string | undefined,
  portfolios: Pick<Portfolios, 'open' | 'read'>,
): Promise<Open> {
  const found = name === undefined ? await portfolios.open() : [await portfolios.read(name)];
  const open = found.filter((state) => !isFinished(state));
  return {
    going: open.filter(goesOn),
    paused: open.filter((state) => !goesOn(state)),
    interrupted: found.filter((state) => state.interrupted),
  };
}

/** What is to be done where an import was not finished: lines that nobody read are in no count. */
export function interruptedWords(names: readonly string[]): string {
  const [one] = names;
  return names.length === 1
    ? `the last import of portfolio ${one} was not finished; import the file again`
    : `the last imports of ${names.length} portfolios were not finished (${names.join(', ')}); import the files again`;
}

/** An import ends by itself, also where its portfolio is paused. */
function goesOn({ paused, importing }: PortfolioState): boolean {
  return paused === undefined || importing;
}
