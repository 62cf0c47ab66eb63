import type { RowId } from '../../src/ledger/schema/schema.ts';
import type { Answered, CallOptions, ServiceClient } from '../../src/service/client.ts';
import type { OutgoingDocument } from '../../src/service/document-body.ts';

/** One call that a step needs, with everything its request needs. */
export type CallRequest = Request & {
  key: string;
  row: RowId;
  /** Revision of the row; undefined for a supplier, which has no row. */
  revision?: string;
  buyer: string;
  /** What the call makes, as part of a sentence, such as "the company". */
  what: string;
  /** The request as text: a person finds an unknown outcome with it, and its digest recognizes a repetition. */
  sent: string;
  /** Suppliers only: the fields as JSON, which must still be those of the portfolio's supplier. */
  supplier?: string;
  /** Limits only: buyer and fields of the request as text, whose digest must not change under this key. */
  asked?: string;
};

type Request =
  | { kind: 'company' | 'limit'; body: Record<string, unknown> }
  /** Finds the document's copy in the data folder, just before the send. */
  | { kind: 'document'; document: () => OutgoingDocument };

/** Sends the request once. Rejects only if nothing was made, or if the document's copy is missing. */
export async function sendRequest(
  request: CallRequest,
  options: CallOptions,
  service: ServiceClient,
): Promise<Answered> {
  switch (request.kind) {
    case 'company':
      return service.createCompany(request.body, options);
    case 'document':
      return service.uploadDocument(request.document(), options);
    case 'limit':
      return service.requestLimit(request.body, options);
  }
}

export function nameOf({ kind, key }: CallRequest): string {
  return `${kind} ${key}`;
}
