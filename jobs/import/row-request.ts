import type { RowDocument, RowRequest } from '../../src/ledger/schema/row.ts';
import { type RowId, rowName } from '../../src/ledger/schema/schema.ts';
import { alikeOfName } from '../../src/portfolio/identity/identity.ts';
import type { Row } from '../../src/portfolio/lines/row.ts';

/** A line's row as the ledger keeps it, with its documents by digest. */
export function rowRequest({ name, buyer, company, companyId, limit }: Row, documents: RowDocument[]): RowRequest {
  return { name, buyer, documents, limit, ...(companyId === undefined ? { company } : { companyId }) };
}

/**
 * Whether a line may take over an unsent request of the same key with another buyer. It may if the company's name is the same
 * (a number or country was corrected), or if its cell `row` names that very row.
 */
export function mayTake(asked: RowRequest, known: RowRequest, { row, cell }: { row: RowId; cell: string }): boolean {
  return cell === rowName(row) || alikeOfName(asked.name) === alikeOfName(known.name);
}
