import type { Portfolios } from '../src/ledger/portfolios.ts';
import { ROW_STATES, type RowResult, type Rows } from '../src/ledger/rows.ts';
import { rowsOfLine } from './walk-rows.ts';

type WhyDeps = { rows: Rows; portfolios: Portfolios };

/**
 * Why a line has no row that could be sent again, or be resolved: what it is instead, and what can be done
 * with that.
 */
export async function whyNot(portfolio: string, line: number, deps: WhyDeps): Promise<string> {
  for (const state of ROW_STATES) {
    const [found] = await rowsOfLine(deps, portfolio, state, line);
    if (found) return `Line ${line} of portfolio "${portfolio}" ${whatItIs(found.result, portfolio)}`;
  }
  const [fault] = await deps.portfolios.faultyLines(portfolio, [line]);
  if (fault)
    return `Line ${line} of portfolio "${portfolio}" led to no row: it is ${fault.kind}; ${whatTheySay(portfolio)}`;
  return `There is no line ${line} in portfolio "${portfolio}": limitline report "${portfolio}" --format csv shows its lines.`;
}

/** Which rows were wanted to be sent again, as `retry` is told. */
export type Wanted = {
  portfolio: string;
  state: 'refused' | 'cancelled';
  line?: number | undefined;
  error?: string | undefined;
};

/** Why nothing was sent again, in a sentence. */
export async function whyNothing({ portfolio, state, line, error }: Wanted, deps: WhyDeps): Promise<string> {
  if (line !== undefined) {
    const [found] = await rowsOfLine(deps, portfolio, state, line);
    if (!found || error === undefined) return whyNot(portfolio, line, deps);
    return `Line ${line} of portfolio "${portfolio}" is ${state}, but does not say "${error}"; ${whatTheySay(portfolio)}`;
  }
  const { states } = await deps.portfolios.read(portfolio);
  if (error !== undefined && states[state] > 0) {
    return `No ${state} row of portfolio "${portfolio}" says "${error}"; ${whatTheySay(portfolio)}`;
  }
  const there = ROW_STATES.filter((name) => states[name] > 0).map((name) => `${states[name]} ${name}`);
  const next = states.held > 0 ? ` Held rows are for: npx limitline resolve "${portfolio}".` : '';
  return `No row of portfolio "${portfolio}" is ${state} (${there.join(', ') || 'it has none'}).${next}`;
}

/** Not told here: what is wrong with a cell, or the service's own words, have no place where faults are logged. */
function whatTheySay(portfolio: string): string {
  return `limitline report "${portfolio}" --format errors-csv shows what it says.`;
}

/** What a row is, with the next step where there is one. */
export function whatItIs({ state, step, line, limitId }: RowResult, portfolio: string): string {
  const command = (words: string) => `npx limitline ${words.replace('NAME', `"${portfolio}"`)} --line ${line}`;
  switch (state) {
    case 'done':
      return `is done (${limitId}).`;
    case 'held':
      return `is held at its ${step}, since nobody knows what became of the call: ${command('resolve NAME')}, and --made ID or --resend, says it.`;
    case 'refused':
      return `was refused: ${command('retry NAME')} sends it again.`;
    case 'cancelled':
      return `was given up: ${command('retry NAME --state cancelled')} sends it again.`;
    case 'skipped':
      return `was skipped: this request was made before${limitId === '' ? '' : ` (${limitId})`}.`;
    case 'queued':
      return `waits for its ${step}, and goes by itself where workers run.`;
    default:
      return `is being worked on (${step}).`;
  }
}
