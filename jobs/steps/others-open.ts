import type { CallKind } from '../../src/call-kind.ts';
import type { Portfolios } from '../../src/ledger/portfolios.ts';
import type { RowId } from '../../src/ledger/row-id.ts';
import type { RowState } from '../../src/ledger/rows.ts';
import { mayGoOn } from '../rows/feed.ts';

/** The states of rows that are at a call of this kind, or may come to it. */
const BEFORE: Record<CallKind, readonly RowState[]> = {
  company: ['queued', 'company'],
  document: ['queued', 'company', 'documents'],
  limit: ['queued', 'company', 'documents', 'limit'],
};

/**
 * Whether other rows than this one are at a call of this kind or may come to it, in any portfolio of the account that may go
 * on. A portfolio waits for its supplier, so to that call its own rows are no others.
 */
export async function areOthersOpen(kind: CallKind, row: RowId, portfolios: Portfolios): Promise<boolean> {
  const open = (await portfolios.open()).filter(mayGoOn);
  const rows = open.flatMap(({ states }) => BEFORE[kind].map((state) => states[state]));
  const own = open.some(({ name }) => name === row.portfolio) ? 1 : 0;
  return rows.reduce((sum, count) => sum + count, 0) > own;
}
