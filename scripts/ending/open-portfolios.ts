import { counted, moneyText } from '../../src/counted.ts';
import type { Approvals } from '../../src/ledger/approvals/approvals.ts';
import { exactText, soleCurrency } from '../../src/ledger/counts/outcome-sums.ts';
import { isPending, type PortfolioState } from '../../src/ledger/portfolios/portfolio.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import { openRows } from '../../src/ledger/portfolios/summary.ts';
import { OPEN_STATES } from '../../src/ledger/schema/row.ts';

/**
 * Whether a portfolio has no row, import or supplier that goes on by itself. What waits for a person does not count: held rows,
 * and rows and suppliers that need an approval.
 */
export function isFinished({ importing, states, supplier, supplierAwaits }: PortfolioState): boolean {
  return !importing && !(supplier && isPending(supplier) && !supplierAwaits) && openRows({ states }) === 0;
}

/**
 * Whether a portfolio has rows whose approval was answered and that still wait. A worker releases them, even if the process that took the
 * answer died.
 *
 * @param answered read before the portfolio
 */
export function isLetGo(
  { name, states }: Pick<PortfolioState, 'name' | 'states'>,
  answered: readonly { portfolio: string }[],
): boolean {
  return states.awaiting > 0 && answered.some(({ portfolio }) => portfolio === name);
}

/** Whether rows or the supplier wait for another person's approval. */
function awaitsApproval({ states, supplierAwaits, laterSupplier }: PortfolioState): boolean {
  return states.awaiting > 0 || supplierAwaits || laterSupplier?.awaits === true;
}

/**
 * Open portfolios: `going` go on by themselves; `paused` wait for a person; `interrupted` wait for the file of an import that
 * stopped early; `awaiting` wait for another person's approval.
 */
export type Open = {
  going: PortfolioState[];
  paused: PortfolioState[];
  interrupted: PortfolioState[];
  awaiting: PortfolioState[];
};

/** The parts of a context that tell what is open. */
export type LookedAt = { portfolios: Pick<Portfolios, 'open' | 'read'>; approvals: Pick<Approvals, 'answered'> };

export async function lookAtOpen(name: string | undefined, { portfolios, approvals }: LookedAt): Promise<Open> {
  // Answered approvals are read before portfolios, so that rows released in between count as open.
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

/**
 * A portfolio that goes on by itself, how many rows of it are sent, and the sum that they request, with the currency that its files name.
 * There is no sum where only the first rows are sent.
 */
export type OpenRows = { portfolio: string; rows: number; amount?: string | undefined; currency?: string | undefined };

/** The portfolios that go on by themselves: whatever works for the account sends their rows. */
export async function openByPortfolio(context: LookedAt): Promise<OpenRows[]> {
  const answered = await context.approvals.answered();
  const { going } = await lookAtOpen(undefined, context);
  return going.map((state) => {
    const { name: portfolio, first = Infinity, states, sums } = state;
    const sent = [...OPEN_STATES, ...(isLetGo(state, answered) ? (['awaiting'] as const) : [])];
    const rows = sent.reduce((sum, one) => sum + states[one], 0);
    if (first < rows) return { portfolio, rows: first };
    return { portfolio, rows, amount: exactText(sent.map((one) => sums.byState[one])), currency: soleCurrency(state) };
  });
}

/** Most portfolios that are named. */
const MOST_OTHERS = 5;

/** What is sent besides: `12 rows of portfolio q3 (EUR 4,500.00)`, a text for each of the first portfolios, and one for the others. */
export function othersWords(others: readonly OpenRows[]): string[] {
  const named = others.slice(0, MOST_OTHERS).map(({ portfolio, rows, amount, currency }) => {
    const sum = amount === undefined ? '' : ` (${moneyText(amount, currency)})`;
    return `${counted(rows, 'row')} of portfolio ${portfolio}${sum}`;
  });
  const more = others.length - named.length;
  return [...named, ...(more > 0 ? [`and rows of ${counted(more, 'more portfolio')}`] : [])];
}

/** The advice after interrupted imports, whose unread lines are in no count. */
export function interruptedWords(names: readonly string[]): string {
  const [one] = names;
  return names.length === 1
    ? `an import of portfolio ${one} was not read to its end; import its file again, or once more the file that takes its place`
    : `imports of ${names.length} portfolios were not read to their end (${names.join(', ')}); import their files again, or once more the files that take their place`;
}

/** Whether a portfolio's work goes on by itself. An import continues even if its portfolio is paused. */
const goesOn = ({ paused, importing }: PortfolioState): boolean => paused === undefined || importing;
