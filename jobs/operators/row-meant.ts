import type { Portfolios } from '../../src/ledger/portfolios.ts';
import type { RowState } from '../../src/ledger/row.ts';
import { type RowId, rowName } from '../../src/ledger/row-id.ts';
import type { Rows } from '../../src/ledger/rows.ts';
import { type FoundRow, rowsAtLine, rowsOfLine } from '../rows/walk-rows.ts';

type MeantDeps = { rows: Rows; portfolios: Portfolios };

/** The row with this name, `<portfolio>/<key>`, or with this key alone; or, in words, why there is none. */
export async function rowByName(
  portfolio: string,
  name: string,
  { rows }: Pick<MeantDeps, 'rows'>,
): Promise<FoundRow | string> {
  const row: RowId = { portfolio, key: name.slice(name.lastIndexOf('/') + 1) };
  if (name !== row.key && name !== rowName(row)) return `Row ${name} is of another portfolio than "${portfolio}".`;
  const [result] = await rows.read([row]);
  return result ? { row, result } : `There is no row ${rowName(row)}.`;
}

/**
 * The row of this state that a person means by a line's number; nothing where there is none. Files have lines of the same
 * number, and a word on one of them would be believed of another buyer's: so where several rows bear it none is taken, and
 * what comes back are words that name each.
 */
export async function rowAtLine(
  portfolio: string,
  { state, line }: { state: RowState; line: number },
  deps: MeantDeps,
): Promise<FoundRow | string | undefined> {
  const all = await rowsAtLine(deps.rows, portfolio, state, line);
  if (all.length > 1) {
    const named = (await namesOf(portfolio, all, deps)).join('; ');
    return `Several ${state} rows are of a line ${line}, which so does not say which is meant: ${named}.`;
  }
  const [meant] = await rowsOfLine(deps, portfolio, state, line);
  return meant;
}

/** `line 2 of q4.csv #1, Acme AG, 1000 (row q4/abc…)` of each: enough to find it, and to name it. */
export async function namesOf(portfolio: string, found: readonly FoundRow[], deps: MeantDeps): Promise<string[]> {
  const imports = await importNames(portfolio, deps);
  const inOrder = [...found].sort((a, b) => Number(a.result.importId) - Number(b.result.importId));
  return inOrder.map(({ row, result: { line, importId, request } }) => {
    const whose = `${request.name}, ${request.limit.requested_limit}`;
    return `line ${line} of ${imports.get(importId) ?? 'a file'}, ${whose} (row ${rowName(row)})`;
  });
}

/** What the imports of a portfolio are called, by the numbers that rows bear: `q4.csv #2`, as in the column `import`. */
export async function importNames(
  portfolio: string,
  { portfolios }: Pick<MeantDeps, 'portfolios'>,
): Promise<Map<string, string>> {
  const all = await portfolios.allImports(portfolio);
  return new Map(all.map(({ number, fileName }) => [String(number), `${fileName} #${number}`]));
}
