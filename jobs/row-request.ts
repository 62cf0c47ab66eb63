import type { RowDocument, RowRequest } from '../src/ledger/rows.ts';
import type { Problem, Row } from '../src/portfolio/row.ts';

/** A line's row as the ledger keeps it, with its documents as they are kept. */
export function rowRequest({ name, buyer, company, companyId, limit }: Row, documents: RowDocument[]): RowRequest {
  return { name, buyer, documents, limit, ...(companyId === undefined ? { company } : { companyId }) };
}

/** A request that was sent keeps its words; what the line says instead of them has to be asked for on purpose. */
export function changedProblem(line: number, asked: RowRequest, sent: RowRequest | undefined): Problem {
  const [now, before] = [asked.limit.requested_limit, sent?.limit.requested_limit];
  const difference = before !== undefined && before !== now ? ` (sent: ${before})` : '';
  const stays =
    sent === undefined || sent.buyer !== asked.buyer
      ? 'under this name another buyer or amount was asked for'
      : 'the request stays as it was sent';
  return {
    ...{ line, column: before !== now ? 'requested_limit' : null, value: before !== now ? now : null },
    message: `changed after it was requested${difference}; ${stays}. To ask on purpose, give the line a request_reference of its own`,
  };
}
