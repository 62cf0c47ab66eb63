import { APPROVED } from '../../../src/ledger/counts/sums.ts';
import type { FoundItem } from '../../../src/ledger/nightly/checks.ts';
import { visible } from '../../../src/portfolio/problem.ts';
import type { WalkedRow } from '../row-check.ts';
import { rowItem } from './row-item.ts';

/** Finds a limit whose answer differs from what was sent, in a field that does not decide whose it is; pure. */
export function answeredOtherwise(walked: WalkedRow): FoundItem | undefined {
  const { record, limitId } = walked.result;
  if (!record.differs) return undefined;
  return rowItem('answered otherwise', walked, 'the answer differs from what was sent', {
    detail: `${limitId}: ${record.differs}`,
  });
}

/** Longer ones are no status any more; what they begin with tells them apart well enough. */
const MOST_CHARACTERS = 60;

/**
 * Finds a limit with any other status than approved, as the service wrote it; pure. What others there are, and whether they change,
 * is not shown, so each is only told.
 */
export function otherStatus(walked: WalkedRow): FoundItem | undefined {
  const { state, record, limitId } = walked.result;
  if (state !== 'done' || record.status === APPROVED) return undefined;
  const { status = '', total_limit: granted } = record;
  const more = { detail: limitId, ...(granted === undefined ? {} : { granted }) };
  if (status === '') return rowItem('other status', walked, 'no status is known of it', more);
  const isLong = status.length > MOST_CHARACTERS;
  return rowItem('other status', walked, visible(isLong ? `${status.slice(0, MOST_CHARACTERS)}…` : status), more);
}
