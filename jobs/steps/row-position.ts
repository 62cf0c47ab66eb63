import type { CallOutcome } from '../../src/call-kind.ts';
import type { Move } from '../../src/ledger/rows/row-moves.ts';
import { askedOf, type RowAtStep, type RowState, type Step, stepAfter } from '../../src/ledger/schema/row.ts';
import { type RowId, rowName } from '../../src/ledger/schema/schema.ts';
import { documentKey, withPurpose } from '../rows/walk-rows.ts';
import type { CallRequest } from './call-request.ts';

/** A row at a step: its revision there, and the things made for it so far. */
export type RowPosition = RowAtStep & {
  row: RowId;
  step: Step;
  /** Ids of its uploaded documents; the documents step uploads one after another. */
  uploaded: readonly string[];
  /** Whether the service answered a call of this step. False if other rows had made everything that the step needs. */
  answered: boolean;
};

/** Finds a document's content in the data folder by its digest. */
export type OpenDocument = (sha256: string, name: string) => { path: string; sizeBytes: number };

/** The state into which a made call takes the row, with the row's new fields and position. `to` is "" if its step has more to make. */
export type Reached = { to: RowState | ''; fields: Move; position: RowPosition };

/**
 * The call that a row needs next. Made once each (docs/service.md): a company for all rows of a buyer ("Company"), a document for all rows
 * that attach it ("Document"), a limit for a request key in any portfolio ("Buyer limit request").
 */
export function callRequestOf(position: RowPosition, openDocument: OpenDocument): CallRequest {
  const { row, revision, request } = position;
  const of = { row, revision, buyer: request.buyer };
  switch (position.step) {
    case 'company': {
      const { company: body = {} } = request;
      return { ...of, kind: 'company', key: request.buyer, what: 'the company', sent: JSON.stringify(body), body };
    }
    case 'documents': {
      const document = request.documents[position.uploaded.length];
      if (!document) throw new Error(`The row ${rowName(row)} is at the step documents, and has no more documents.`);
      return {
        ...of,
        kind: 'document',
        key: documentKey(document),
        what: `the document ${document.name}`,
        sent: `${withPurpose(document)}, SHA-256 ${document.sha256}`,
        document: () => ({ ...document, ...openDocument(document.sha256, document.name) }),
      };
    }
    case 'limit': {
      const company = position.companyId || request.companyId;
      if (!company) throw new Error(`The row ${rowName(row)} reached the step limit without a company.`);
      const body = limitBody(company, position);
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

/** The state into which a row goes after its call was made. A limit that was made for another row makes this row skipped. Pure. */
export function reachedBy(
  position: RowPosition,
  made: Pick<Extract<CallOutcome, { is: 'made' }>, 'id' | 'record' | 'row'>,
): Reached {
  const { request, revision } = position;
  const answered = position.answered || made.row === undefined;
  switch (position.step) {
    case 'company': {
      const to = stepAfter(request, 'company');
      const fields = { company: made.id, answered, revision };
      return { to, fields, position: { ...position, state: to, step: to, companyId: made.id, answered: false } };
    }
    case 'documents': {
      const uploaded = [...position.uploaded, made.id];
      if (uploaded.length < request.documents.length)
        return { to: '', fields: {}, position: { ...position, uploaded, answered } };
      const fields = { documents: uploaded, answered, revision };
      return {
        to: 'limit',
        fields,
        position: { ...position, state: 'limit', step: 'limit', documentIds: uploaded, answered: false },
      };
    }
    case 'limit': {
      const isOurs = made.row === undefined || made.row === rowName(position.row);
      const company = position.companyId || request.companyId || '';
      return {
        to: isOurs ? 'done' : 'skipped',
        fields: { company, limit: made.id, record: made.record, answered, revision },
        position,
      };
    }
  }
}

/**
 * Body of a limit request. Only here an amount becomes a number; reading has rejected amounts with more digits than a JSON number holds
 * exactly.
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
