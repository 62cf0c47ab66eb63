import type { RowRequest } from '../../src/ledger/schema/row.ts';
import { COLUMNS, fieldOf, KNOWN_COLUMNS, type KnownColumn } from '../../src/portfolio/columns/known-columns.ts';

/** Columns that are missing from some stored bodies: a line with a company id has no company body. */
const BESIDE_BODIES: { [column in KnownColumn]?: (request: RowRequest) => string | undefined } = {
  name: ({ name }) => name,
  supporting_documents: ({ documents }) => documents.map(({ name }) => name).join('|'),
  company_id: ({ companyId }) => companyId,
};

/** The columns that {@link ledgerCells} fills, from what the ledger knows of a row whose file is gone. */
export const LEDGER_COLUMNS = KNOWN_COLUMNS.filter((column) => BESIDE_BODIES[column] ?? COLUMNS[column].in);

/** The cells of {@link LEDGER_COLUMNS}; all empty without a row. */
export function ledgerCells(request: RowRequest | undefined): string[] {
  return LEDGER_COLUMNS.map((column) => (request && cellOf(column, request)) ?? '');
}

/** Reads the column's field from the stored request bodies. */
function cellOf(column: KnownColumn, request: RowRequest): string | null | undefined {
  const beside = BESIDE_BODIES[column];
  if (beside) return beside(request);
  const path = [...(COLUMNS[column].in?.split('.') ?? []), fieldOf(column)];
  return path.reduce<unknown>((body, name) => (body as Record<string, unknown> | undefined)?.[name], request) as string;
}
