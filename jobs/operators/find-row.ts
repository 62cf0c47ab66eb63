import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import type { Rows } from '../../src/ledger/rows/rows.ts';
import type { RowState } from '../../src/ledger/schema/row.ts';
import { type RowId, rowName } from '../../src/ledger/schema/schema.ts';
import { importNames } from '../rows/import-names.ts';
import { type FoundRow, rowsAtLine, rowsOfLine } from '../rows/walk-rows.ts';

type FindDeps = { rows: Rows; portfolios: Portfolios };

/** The row with this name, `<portfolio>/<key>`, or with this key alone; or a sentence that says why there is none. */
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
 * The row of this state that a person means by a line's number; nothing where there is none. Lines of several files may have
 * that number, and what is said of one buyer would be believed of another: so where several rows bear it none is taken, and
 * the answer is a sentence that names each.
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

/** `line 2 of q4.csv #1, Acme AG, 1000 (row q4/abc…)` of each: enough to find it, and to name it. */
export async function describeRows(portfolio: string, found: readonly FoundRow[], deps: FindDeps): Promise<string[]> {
  const imports = await importNames(portfolio, deps);
  const inOrder = [...found].sort((a, b) => Number(a.result.importId) - Number(b.result.importId));
  return inOrder.map(({ row, result: { line, importId, request } }) => {
    const whose = `${request.name}, ${request.limit.requested_limit}`;
    return `line ${line} of ${imports.get(importId) ?? 'a file'}, ${whose} (row ${rowName(row)})`;
  });
}
