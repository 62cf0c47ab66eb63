import type { RowId } from '../../src/ledger/schema/schema.ts';
import type { Answered, CallOptions, ServiceClient } from '../../src/service/client.ts';
import type { OutgoingDocument } from '../../src/service/document-body.ts';

/** One call that a step needs: what is to be made at the service, and all that its request needs. */
export type CallRequest = Request & {
  key: string;
  row: RowId;
  /** Of the row's words, where there is a row. */
  revision?: string;
  buyer: string;
  /** What it is in a sentence, such as "the company". */
  what: string;
  /** What is sent, for a person who must find out what became of it, and by which a repetition is known. */
  sent: string;
  /** What the line asked for, where that is what may not change. */
  asked?: string;
};

type Request =
  | { kind: 'company' | 'limit'; body: Record<string, unknown> }
  /** Its copy is looked for when it is to be sent. */
  | { kind: 'document'; document: () => OutgoingDocument };

/** Sends it, once. Rejects only while nothing has been made, as the client says, or where a document's copy is not to be had. */
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

/** Names the call that makes it, as the ledger does. */
export function nameOf({ kind, key }: CallRequest): string {
  return `${kind} ${key}`;
}
