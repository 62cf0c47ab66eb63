import type { CallKind } from '../../src/call-kind.ts';
import type { Thing } from '../../src/ledger/calls/claim-answers.ts';
import { documentKey } from './document-key.ts';
import type { FoundRow } from './walk-rows.ts';

/** The calls of a row's current step, in the order in which the step makes them. */
export function callsOf({ row, result }: FoundRow): Pick<Thing, 'kind' | 'key'>[] {
  const call = (kind: CallKind, key: string) => ({ kind, key });
  switch (result.step) {
    case 'company':
      return [call('company', result.request.buyer)];
    case 'documents':
      return result.request.documents.map((document) => call('document', documentKey(document)));
    case 'limit':
      return [call('limit', row.key)];
  }
}
