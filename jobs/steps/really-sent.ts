import type { Rows } from '../../src/ledger/rows/rows.ts';
import { rowIdOf } from '../../src/ledger/schema/schema.ts';
import type { CallEnding } from './call-once.ts';
import type { CallRequest } from './call-request.ts';
import { limitBody } from './row-position.ts';

/**
 * What was really sent with a call that ended so for a row: its own request, or that of the other row for which the call was sent. '' where
 * that row is not in Redis any more.
 */
export async function reallySent(
  { kind, sent }: Pick<CallRequest, 'kind' | 'sent'>,
  outcome: CallEnding,
  { rows }: { rows: Pick<Rows, 'read'> },
): Promise<string> {
  if (outcome.is !== 'unknown' || outcome.sentFor === undefined) return sent;
  const other = rowIdOf(outcome.sentFor);
  const [found] = other ? await rows.read([other]) : [];
  if (!found) return '';
  const { request, companyId } = found;
  if (kind === 'company') return JSON.stringify(request.company ?? {});
  // Rows that share a document send the same.
  return kind === 'limit' ? JSON.stringify(limitBody(companyId || request.companyId || '', found)) : sent;
}
