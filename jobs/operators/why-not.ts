import type { Calls } from '../../src/ledger/calls.ts';
import type { Portfolios } from '../../src/ledger/portfolios.ts';
import { ROW_STATES } from '../../src/ledger/row.ts';
import { rowName } from '../../src/ledger/row-id.ts';
import type { Rows } from '../../src/ledger/rows.ts';
import { type FoundRow, rowsOfLine } from '../rows/walk-rows.ts';
import { rowByName } from './row-meant.ts';

type WhyDeps = { rows: Rows; portfolios: Portfolios; calls: Pick<Calls, 'madeId'> };

/**
 * Why a line has no row that could be sent again, or be resolved: what it is instead, and what can be done
 * with that.
 */
export async function whyNot(portfolio: string, line: number, deps: WhyDeps): Promise<string> {
  for (const state of ROW_STATES) {
    const [found] = await rowsOfLine(deps, portfolio, state, line);
    if (found) return `Line ${line} of portfolio "${portfolio}" ${await whatItIs(found, `--line ${line}`, deps)}`;
  }
  const [fault] = await deps.portfolios.faultyLines(portfolio, [line]);
  if (fault)
    return `Line ${line} of portfolio "${portfolio}" led to no row: it is ${fault.kind}; ${whatTheySay(portfolio)}`;
  return `There is no line ${line} in portfolio "${portfolio}": limitline report "${portfolio}" --format csv shows its lines.`;
}

/** The same of a row that was named by itself. */
export async function whyNotRow(found: FoundRow, deps: WhyDeps): Promise<string> {
  return `Row ${rowName(found.row)} ${await whatItIs(found, `--row ${found.row.key}`, deps)}`;
}

/** Which rows were wanted to be sent again, as `retry` is told. */
export type Wanted = {
  portfolio: string;
  state: 'refused' | 'cancelled';
  line?: number | undefined;
  row?: string | undefined;
  error?: string | undefined;
};

/** Why nothing was sent again, in a sentence. */
export async function whyNothing({ portfolio, state, line, row, error }: Wanted, deps: WhyDeps): Promise<string> {
  if (row !== undefined) {
    const found = await rowByName(portfolio, row, deps);
    if (typeof found === 'string') return found;
    if (found.result.state !== state || error === undefined) return whyNotRow(found, deps);
    return `Row ${rowName(found.row)} is ${state}, but does not say "${error}"; ${whatTheySay(portfolio)}`;
  }
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

/** What a row is, with the next step where there is one; `which` names the row in a command. */
async function whatItIs({ row, result }: FoundRow, which: string, { calls }: WhyDeps): Promise<string> {
  const { state, step, limitId } = result;
  const command = (words: string) => `npx limitline ${words.replace('NAME', `"${row.portfolio}"`)} ${which}`;
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
    default:
      break;
  }
  // By a person's word on it, for one: it is not sent again.
  const made = await calls.madeId({ kind: 'limit', key: row.key });
  if (made !== undefined) {
    return `is not to be sent any more: its limit is known (${made}), only to be written down by a worker.`;
  }
  return state === 'queued'
    ? `waits for its ${step}, and goes by itself where workers run.`
    : `is being worked on (${step}).`;
}
