import type { Approvals } from '../../src/ledger/approvals/approvals.ts';
import { isPending, type PortfolioState } from '../../src/ledger/portfolios/portfolio.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import { openRows } from '../../src/ledger/portfolios/summary.ts';

/**
 * Whether nothing of a portfolio goes on by itself: no row, no import, no supplier is under way or still to come. Held rows wait for
 * a person, and so do rows and a supplier that another person has to approve.
 */
export function isFinished({ importing, states, supplier, supplierAwaits }: PortfolioState): boolean {
  return !importing && !(supplier && isPending(supplier) && !supplierAwaits) && openRows({ states }) === 0;
}

/**
 * Whether rows of it wait though somebody has answered: whoever works lets them go, also where whoever answered was killed.
 *
 * @param answered as it was before the portfolio was read
 */
export function isLetGo(
  { name, states }: Pick<PortfolioState, 'name' | 'states'>,
  answered: readonly { portfolio: string }[],
): boolean {
  return states.awaiting > 0 && answered.some(({ portfolio }) => portfolio === name);
}

/** Whether something of it waits for another person's approval. */
export function awaitsApproval({ states, supplierAwaits }: Pick<PortfolioState, 'states' | 'supplierAwaits'>): boolean {
  return states.awaiting > 0 || supplierAwaits;
}

/**
 * What is open: the portfolios that go on by themselves, those that are paused, which wait for a person, those whose last
 * import was killed or given up before the end of its file, which wait for that file, and those of which something waits for
 * another person's approval.
 */
export type Open = {
  going: PortfolioState[];
  paused: PortfolioState[];
  interrupted: PortfolioState[];
  awaiting: PortfolioState[];
};

/** Where it is looked what is open. */
export type LookedAt = { portfolios: Pick<Portfolios, 'open' | 'read'>; approvals: Pick<Approvals, 'answered'> };

/** Looks what is open, of one portfolio or of the whole account. */
export async function lookAtOpen(name: string | undefined, { portfolios, approvals }: LookedAt): Promise<Open> {
  // First, since what is let go meanwhile is open then.
  const answered = await approvals.answered();
  const found = name === undefined ? await portfolios.open() : [await portfolios.read(name)];
  const open = found.filter((state) => !isFinished(state) || isLetGo(state, answered));
  return {
    going: open.filter(goesOn),
    paused: open.filter((state) => !goesOn(state)),
    interrupted: found.filter((state) => state.interrupted),
    awaiting: found.filter(awaitsApproval),
  };
}

/** What is to be done where an import was not finished: lines that nobody read are in no count. */
export function interruptedWords(names: readonly string[]): string {
  const [one] = names;
  return names.length === 1
    ? `an import of portfolio ${one} was not read to its end; import its file again`
    : `imports of ${names.length} portfolios were not read to their end (${names.join(', ')}); import their files again`;
}

/** An import ends by itself, also where its portfolio is paused. */
function goesOn({ paused, importing }: PortfolioState): boolean {
  return paused === undefined || importing;
}
