import type { RowDocument, RowRequest } from '../../src/ledger/schema/row.ts';
import { type RowId, rowName } from '../../src/ledger/schema/schema.ts';
import { alikeOfName } from '../../src/portfolio/identity/identity.ts';
import type { Row } from '../../src/portfolio/lines/row.ts';

/** A line's row as the ledger keeps it, with its documents as they are kept. */
export function rowRequest({ name, buyer, company, companyId, limit }: Row, documents: RowDocument[]): RowRequest {
  return { name, buyer, documents, limit, ...(companyId === undefined ? { company } : { companyId }) };
}

/**
 * Whether a line may take over a request of its name that was not sent, though it tells another buyer: the one of the same
 * company, whose number or country was mended, or the very row that its cell `row` names.
 */
export function mayTake(asked: RowRequest, known: RowRequest, { row, cell }: { row: RowId; cell: string }): boolean {
  return cell === rowName(row) || alikeOfName(asked.name) === alikeOfName(known.name);
}
