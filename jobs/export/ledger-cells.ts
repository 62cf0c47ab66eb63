import type { RowRequest } from '../../src/ledger/schema/row.ts';
import { type ExtraField, extrasIn, headerOfExtra } from '../../src/portfolio/columns/extra-fields.ts';
import { COLUMNS, fieldOf, KNOWN_COLUMNS, type KnownColumn } from '../../src/portfolio/columns/known-columns.ts';

/** How columns that are missing from some request bodies are filled: a line with a company id, for example, has no company body. */
const BESIDE_BODIES: { [column in KnownColumn]?: (request: RowRequest) => string | undefined } = {
  name: ({ name }) => name,
  supporting_documents: ({ documents }) => documents.map(({ name }) => name).join('|'),
  document_purpose: ({ documents }) => documents[0]?.purpose,
  company_id: ({ companyId }) => companyId,
};

/** The columns that {@link ledgerCells} fills, from what the ledger knows of a row whose file is gone. */
export const LEDGER_COLUMNS = KNOWN_COLUMNS.filter((column) => BESIDE_BODIES[column] ?? COLUMNS[column].in);

/** A row's extra fields, which a mapping sends at a path of the call's body, as text; none without a row. */
export function extrasOf(request: RowRequest | undefined): { field: ExtraField; text: string }[] {
  return [...extrasIn('company', request?.company), ...extrasIn('buyer_limit', request?.limit)];
}

/** The cells of {@link LEDGER_COLUMNS}; all empty without a row. */
export function ledgerCells(request: RowRequest | undefined): string[] {
  return LEDGER_COLUMNS.map((column) => (request && cellOf(column, request)) ?? '');
}

/** The cells of columns by their names, from what the ledger knows of a row whose line cannot be read. */
export function cellsByName(header: readonly string[], request: RowRequest | undefined): string[] {
  const known = ledgerCells(request).map((text, place): [string, string] => [LEDGER_COLUMNS[place] ?? '', text]);
  const extras = extrasOf(request).map(({ field, text }): [string, string] => [headerOfExtra(field), text]);
  const texts = new Map([...known, ...extras]);
  // If several columns have the same name, only the first of them is filled.
  return header.map((name, at) => (header.indexOf(name) === at && texts.get(name)) || '');
}

/** Reads the column's field from the stored request bodies. */
function cellOf(column: KnownColumn, request: RowRequest): string | null | undefined {
  const beside = BESIDE_BODIES[column];
  if (beside) return beside(request);
  const path = [...(COLUMNS[column].in?.split('.') ?? []), fieldOf(column)];
  return path.reduce<unknown>((body, name) => (body as Record<string, unknown> | undefined)?.[name], request) as string;
}
