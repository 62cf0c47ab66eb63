import type { AskedFor } from '../../ledger/approvals/answered.ts';
import type { RowState } from '../../ledger/schema/row.ts';

const UNDER_WAY = 'The row is under way and goes on by itself. Nothing was sent again.';

/** Why a row is not sent again, and what to do. */
const STAYS: Partial<Record<RowState, string>> = {
  held: 'Nobody knows what became of the call of this row, so sending it again could ask for a limit twice. Say what became of it at the held desk: /held. Nothing was sent.',
  done: 'The limit of this row was made already and is not requested twice. Nothing was sent.',
  skipped: 'This request was made before and is not made twice. Nothing was sent.',
  cancelled: 'This row was given up. Send it again with npx limitline retry NAME --state cancelled. Nothing was sent.',
  awaiting: 'This row waits for another person’s approval: see /approvals. Nothing was sent.',
  refused: 'Another row stands in the place of this one, so it stays as it is. Nothing was sent.',
};

/** What a row waits for that somebody wished to send again. */
export function whatWaits({ approval, why = '' }: AskedFor): string {
  return `Sending it again needs another person’s approval, for which it waits now: /approvals/${approval}. Nothing was sent. ${why}`.trimEnd();
}

/** Whether rows in this state are at their end. */
export function hasEnded(state: RowState): boolean {
  return state !== 'awaiting' && state in STAYS;
}

/** Why a row in this state is not sent again. */
export function whyItStays(state: RowState): string {
  return STAYS[state] ?? UNDER_WAY;
}

/** Why there is nothing to be sent again under this key. */
export function whyUnknown(key: string): string {
  return key === 'supplier'
    ? 'This is the supplier of a portfolio and no row: import the file again with --supplier to ask for it again. Nothing was sent.'
    : 'The ledger knows no such row. Nothing was sent.';
}
