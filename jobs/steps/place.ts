import type { Move } from '../../src/ledger/rows/row-moves.ts';
import type { RowAtStep, RowState, Step } from '../../src/ledger/schema/row.ts';
import { askedOf, stepAfter } from '../../src/ledger/schema/row.ts';
import { type RowId, rowName } from '../../src/ledger/schema/schema.ts';
import type { Outcome } from '../../src/outcome.ts';
import { documentKey } from '../rows/document-key.ts';
import type { CallRequest } from './call-request.ts';

/** Where a row stands: at a step, by the revision of its words that was found there, with what was made for it so far. */
export type Place = RowAtStep & {
  row: RowId;
  step: Step;
  /** Ids of its documents that are up, of those that its step goes through one after another. */
  uploaded: readonly string[];
  /** Whether the service itself answered at this step, and not the ledger for it. */
  answered: boolean;
};

/** Finds a document's content in the data folder by its digest. */
export type OpenDocument = (sha256: string, name: string) => { path: string; sizeBytes: number };

/** What a row comes to by what was made: the state it goes to, or "" where its step has more to make. */
export type Reached = { to: RowState | ''; fields: Move; place: Place };

/**
 * The call that a row needs next. A buyer becomes a company once for all rows that share it (docs/service.md, "Company"), a document
 * goes up once for all rows that attach it ("Document"), and a request key is submitted once, whatever portfolio it stands in
 * ("Buyer limit request").
 */
export function callRequestOf(place: Place, openDocument: OpenDocument): CallRequest {
  const { row, revision, request } = place;
  const of = { row, revision, buyer: request.buyer };
  switch (place.step) {
    case 'company': {
      const { company: body = {} } = request;
      return { ...of, kind: 'company', key: request.buyer, what: 'the company', sent: JSON.stringify(body), body };
    }
    case 'documents': {
      const document = request.documents[place.uploaded.length];
      if (!document) throw new Error(`The row ${rowName(row)} is at its documents, and has no more of them.`);
      return {
        ...of,
        kind: 'document',
        key: documentKey(document),
        what: `the document ${document.name}`,
        sent: `${document.name}, SHA-256 ${document.sha256}`,
        document: () => ({ ...document, ...openDocument(document.sha256, document.name) }),
      };
    }
    case 'limit': {
      const company = place.companyId || request.companyId;
      if (!company) throw new Error(`The row ${rowName(row)} reached its limit without a company.`);
      const body = limitBody(company, place);
      return {
        ...of,
        kind: 'limit',
        key: row.key,
        asked: askedOf(request),
        what: 'the buyer limit request',
        sent: JSON.stringify(body),
        body,
      };
    }
  }
}

/** Where a row goes once what it wanted at its place was made; for another row, a limit makes it skipped. Pure. */
export function reachedBy(
  place: Place,
  made: Pick<Extract<Outcome, { is: 'made' }>, 'id' | 'record' | 'row'>,
): Reached {
  const { request, revision } = place;
  const answered = place.answered || made.row === undefined;
  switch (place.step) {
    case 'company': {
      const to = stepAfter(request, 'company');
      const fields = { company: made.id, answered, revision };
      return { to, fields, place: { ...place, state: to, step: to, companyId: made.id, answered: false } };
    }
    case 'documents': {
      const uploaded = [...place.uploaded, made.id];
      if (uploaded.length < request.documents.length)
        return { to: '', fields: {}, place: { ...place, uploaded, answered } };
      const fields = { documents: uploaded, answered, revision };
      return {
        to: 'limit',
        fields,
        place: { ...place, state: 'limit', step: 'limit', documentIds: uploaded, answered: false },
      };
    }
    case 'limit': {
      const isOurs = made.row === undefined || made.row === rowName(place.row);
      const company = place.companyId || request.companyId || '';
      return {
        to: isOurs ? 'done' : 'skipped',
        fields: { company, limit: made.id, record: made.record, answered, revision },
        place,
      };
    }
  }
}

/**
 * The request's body. Here alone an amount becomes a number: reading took care that it has no more digits than a JSON
 * number carries exactly.
 */
export function limitBody(
  company: string,
  { request, documentIds }: Pick<RowAtStep, 'request' | 'documentIds'>,
): Record<string, unknown> {
  return {
    company,
    ...request.limit,
    requested_limit: Number(request.limit.requested_limit),
    ...(documentIds.length > 0 ? { supporting_documents: documentIds } : {}),
  };
}
