import type { RowRequest } from '../../src/ledger/schema/row.ts';
import { COLUMNS, fieldOf, KNOWN_COLUMNS, type KnownColumn } from '../../src/portfolio/columns/known-columns.ts';

/** What stands in no body, or not in each: where the line gave a company's id, there is none of the company. */
const BESIDE_BODIES: { [column in KnownColumn]?: (request: RowRequest) => string | undefined } = {
  name: ({ name }) => name,
  supporting_documents: ({ documents }) => documents.map(({ name }) => name).join('|'),
  company_id: ({ companyId }) => companyId,
};

/** The columns that {@link ledgerCells} fills: what the ledger knows of a row whose file is gone. */
export const LEDGER_COLUMNS = KNOWN_COLUMNS.filter((column) => BESIDE_BODIES[column] ?? COLUMNS[column].in);

/** The cells of {@link LEDGER_COLUMNS}; without a row they are empty. */
export function ledgerCells(request: RowRequest | undefined): string[] {
  return LEDGER_COLUMNS.map((column) => (request && cellOf(column, request)) ?? '');
}

/** The ledger keeps the bodies as they were made when the line was read. */
function cellOf(column: KnownColumn, request: RowRequest): string | null | undefined {
  const beside = BESIDE_BODIES[column];
  if (beside) return beside(request);
  const path = [...(COLUMNS[column].in?.split('.') ?? []), fieldOf(column)];
  return path.reduce<unknown>((body, name) => (body as Record<string, unknown> | undefined)?.[name], request) as string;
}
