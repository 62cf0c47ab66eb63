import { LimitlineError } from '../../src/errors.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import type { Rows } from '../../src/ledger/rows/rows.ts';
import type { RowState, Step } from '../../src/ledger/schema/row.ts';
import { type RowId, rowName } from '../../src/ledger/schema/schema.ts';
import { importNames } from '../rows/import-names.ts';
import { type FoundRow, rowsAtLine, rowsOfLine } from '../rows/walk-rows.ts';
import { explainLine, explainRow } from './explain-rows.ts';
import type { FreeDeps } from './free-held.ts';

/**
 * Finds the held row of this line, at this step if one is given.
 *
 * @throws LimitlineError `NOT_FOUND` where it is not held, naming lines that are; `USAGE` where several rows have the number
 */
export async function heldRowAtLine(
  portfolio: string,
  { line, step }: { line: number; step: Step | undefined },
  deps: FreeDeps,
): Promise<FoundRow> {
  const found = await rowAtLine(portfolio, { state: 'held', line }, deps);
  if (typeof found === 'string') throw new LimitlineError('USAGE', `${found} Name one of these rows with --row ID.`);
  if (found && (step === undefined || found.result.step === step)) return found;
  throw await notHeld(portfolio, line, deps);
}

/** @throws LimitlineError `NOT_FOUND` where there is no such row or it is not held */
export async function heldRowByName(portfolio: string, name: string, deps: FreeDeps): Promise<FoundRow> {
  const found = await rowByName(portfolio, name, deps);
  if (typeof found !== 'string' && found.result.state === 'held') return found;
  throw new LimitlineError('NOT_FOUND', typeof found === 'string' ? found : await explainRow(found, deps));
}

type FindDeps = { rows: Rows; portfolios: Portfolios };

/** The row with this name (`<portfolio>/<key>`) or key, or a sentence that says why there is none. */
export async function rowByName(
  portfolio: string,
  name: string,
  { rows }: Pick<FindDeps, 'rows'>,
): Promise<FoundRow | string> {
  const row: RowId = { portfolio, key: name.slice(name.lastIndexOf('/') + 1) };
  if (name !== row.key && name !== rowName(row)) return `Row ${name} does not belong to portfolio "${portfolio}".`;
  const [result] = await rows.read([row]);
  return result ? { row, result } : `There is no row ${rowName(row)}.`;
}

/**
 * The row of this state with this line number; nothing if there is none. Lines of several files may have the number. Then the
 * answer is a sentence that names each row, since taking one could mix up buyers.
 */
export async function rowAtLine(
  portfolio: string,
  { state, line }: { state: RowState; line: number },
  deps: FindDeps,
): Promise<FoundRow | string | undefined> {
  const all = await rowsAtLine(deps.rows, portfolio, state, line);
  if (all.length > 1) {
    const described = (await describeRows(portfolio, all, deps)).join('; ');
    return `Several ${state} rows have line number ${line}: ${described}.`;
  }
  const [meant] = await rowsOfLine(deps, portfolio, state, line);
  return meant;
}

/** Describes rows for people: `line 2 of q4.csv #1, Acme AG, 1000 (row q4/abc…)`. */
export async function describeRows(portfolio: string, found: readonly FoundRow[], deps: FindDeps): Promise<string[]> {
  const imports = await importNames(portfolio, deps);
  const inOrder = [...found].sort((a, b) => Number(a.result.importId) - Number(b.result.importId));
  return inOrder.map(({ row, result: { line, importId, request } }) => {
    const whose = `${request.name}, ${request.limit.requested_limit}`;
    return `line ${line} of ${imports.get(importId) ?? 'a file'}, ${whose} (row ${rowName(row)})`;
  });
}

/** Held lines that an error names at most. */
const MOST_NAMED = 10;

async function notHeld(portfolio: string, line: number, deps: FreeDeps): Promise<LimitlineError> {
  const why = await explainLine(portfolio, line, deps);
  const same = await rowsAtLine(deps.rows, portfolio, 'held', line);
  if (same.length > 0) {
    // Held rows of other files have that line number. Only --row can choose one of them.
    const described = await describeRows(portfolio, same, deps);
    return new LimitlineError('NOT_FOUND', `${why} Held is ${described.join('; ')}. Choose it with --row.`);
  }
  return new LimitlineError('NOT_FOUND', `${why} ${await whatIsHeld(portfolio, deps)}`);
}

async function whatIsHeld(portfolio: string, deps: FreeDeps): Promise<string> {
  const { states } = await deps.portfolios.read(portfolio);
  if (states.held === 0) return 'No row of the portfolio is held.';
  const first = await deps.rows.behind(portfolio, 'held', { line: 0, count: MOST_NAMED });
  const lines = first.map(({ line }) => line).join(', ');
  if (states.held === 1) return `The only held row is on line ${lines}.`;
  return `Held rows are on lines ${lines}${states.held > MOST_NAMED ? ' …' : ''}.`;
}
