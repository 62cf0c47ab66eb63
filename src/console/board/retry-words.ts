import type { AskedFor } from '../../ledger/approvals/approval-look.ts';
import type { RowState } from '../../ledger/schema/row.ts';
import { STATES } from '../../ledger/schema/schema.ts';

/** What a row waits for that somebody wished to send again. */
export function whatWaits({ approval, why = '' }: AskedFor): string {
  return `Sending it again needs another person’s approval, for which it waits now: /approvals/${approval}. Nothing was sent. ${why}`.trimEnd();
}

/** Why a row in this state is not sent again, and what to do. */
export function whyItStays(state: RowState): string {
  const means = STATES[state];
  return 'stays' in means
    ? `${means.stays} Nothing was sent.`
    : 'The row is under way and goes on by itself. Nothing was sent again.';
}

/** Why there is nothing to be sent again under this key. */
export function whyUnknown(key: string): string {
  return key === 'supplier'
    ? 'This is the supplier of a portfolio and no row: import the file again with --supplier to ask for it again. Nothing was sent.'
    : 'The ledger knows no such row. Nothing was sent.';
}
