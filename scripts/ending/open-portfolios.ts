import type { Approvals } from '../../src/ledger/approvals/approvals.ts';
import { isPending, type PortfolioState } from '../../src/ledger/portfolios/portfolio.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import { openRows } from '../../src/ledger/portfolios/summary.ts';

/**
 * Whether nothing of a portfolio continues by itself: no row, import or supplier is under way or still to come. Held rows wait for a
 * person; so do rows and a supplier that another person has to approve.
 */
export function isFinished({ importing, states, supplier, supplierAwaits }: PortfolioState): boolean {
  return !importing && !(supplier && isPending(supplier) && !supplierAwaits) && openRows({ states }) === 0;
}

/**
 * Whether rows still wait although somebody has answered. Workers release them, even if the process that answered was killed.
 *
 * @param answered the answers as they were before the portfolio was read
 */
export function isLetGo(
  { name, states }: Pick<PortfolioState, 'name' | 'states'>,
  answered: readonly { portfolio: string }[],
): boolean {
  return states.awaiting > 0 && answered.some(({ portfolio }) => portfolio === name);
}

/** Whether something of the portfolio waits for another person's approval. */
export function awaitsApproval({ states, supplierAwaits }: Pick<PortfolioState, 'states' | 'supplierAwaits'>): boolean {
  return states.awaiting > 0 || supplierAwaits;
}

/**
 * What is open: portfolios that continue by themselves; paused ones, which wait for a person; those whose last import was killed or stopped
 * before the end of its file, which wait for that file; and those with something that waits for another person's approval.
 */
export type Open = {
  going: PortfolioState[];
  paused: PortfolioState[];
  interrupted: PortfolioState[];
  awaiting: PortfolioState[];
};

/** Where open portfolios are looked up. */
export type LookedAt = { portfolios: Pick<Portfolios, 'open' | 'read'>; approvals: Pick<Approvals, 'answered'> };

/** Finds what is open, in one portfolio or in the whole account. */
export async function lookAtOpen(name: string | undefined, { portfolios, approvals }: LookedAt): Promise<Open> {
  // This is read first: rows that are released meanwhile count as open then.
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

/** What to do about an unfinished import: its unread lines are in no count. */
export function interruptedWords(names: readonly string[]): string {
  const [one] = names;
  return names.length === 1
    ? `an import of portfolio ${one} was not read to its end; import its file again`
    : `imports of ${names.length} portfolios were not read to their end (${names.join(', ')}); import their files again`;
}

/** An import continues by itself, even when its portfolio is paused. */
function goesOn({ paused, importing }: PortfolioState): boolean {
  return paused === undefined || importing;
}
