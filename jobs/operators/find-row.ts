import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import type { Rows } from '../../src/ledger/rows/rows.ts';
import type { RowState } from '../../src/ledger/schema/row.ts';
import { type RowId, rowName } from '../../src/ledger/schema/schema.ts';
import { importNames } from '../rows/import-names.ts';
import { type FoundRow, rowsAtLine, rowsOfLine } from '../rows/walk-rows.ts';

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
