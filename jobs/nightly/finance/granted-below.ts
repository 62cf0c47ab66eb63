import { APPROVED } from '../../../src/ledger/counts/sums.ts';
import { amountText, shareOf } from '../../../src/ledger/nightly/amount-limbs.ts';
import type { FoundItem } from '../../../src/ledger/nightly/checks.ts';
import type { WalkedRow } from '../row-check.ts';
import { rowItem } from './row-item.ts';

/**
 * Finds an approved limit of which less was granted than requested, and that nothing was granted, which is a no; pure. A request that
 * was made before (`skipped`) is not told of again: the row that made it is. Where nobody knows what was granted, as of an id that a
 * person named, there is nothing to compare.
 */
export function grantedBelow(walked: WalkedRow): FoundItem | undefined {
  const { state, record, request, limitId } = walked.result;
  if (state !== 'done' || record.total_limit === undefined) return undefined;
  const { total_limit: granted } = record;
  const more = { granted, detail: limitId };
  if (amountText(granted) === '?')
    return rowItem('answered otherwise', walked, 'the answer says an amount that cannot be read', more);
  const share = record.status === APPROVED ? shareOf(granted, request.limit.requested_limit) : '';
  if (share === '3') return rowItem('other status', walked, 'approved, and nothing was granted', more);
  return share === '' ? undefined : rowItem('granted below', walked, 'less than requested', more);
}
