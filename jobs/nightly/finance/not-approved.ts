import { counted } from '../../../src/counted.ts';
import type { FoundItem } from '../../../src/ledger/nightly/checks.ts';
import { visible } from '../../../src/portfolio/problem.ts';
import { type Meanings, statusMeaningOf } from '../../../src/status-meaning.ts';
import { quoted, rowItem, type WalkedRow } from '../walk-ledger.ts';

/** The most characters of a status that are shown: longer texts are no real status, and their beginnings tell them apart. */
const MOST_CHARACTERS = 60;

/** Finds a limit with a status that does not mean approved, and asks what it means where nobody has said that. */
export function otherStatus(walked: WalkedRow, meanings: Meanings): FoundItem | undefined {
  const { state, record, limitId } = walked.result;
  const { status = '', total_limit: granted } = record;
  const meaning = statusMeaningOf(status, meanings);
  if (state !== 'done' || meaning === 'approved') return undefined;
  const more = { detail: limitId, ...(granted === undefined ? {} : { granted }) };
  if (status === '') return rowItem('other status', walked, 'no status is known of it', more);
  const shown = visible(status.length > MOST_CHARACTERS ? `${status.slice(0, MOST_CHARACTERS)}…` : status);
  if (meaning !== undefined) {
    const means = MEANS[meaning];
    const isSame = status.toLowerCase().replace(/[_-]/g, ' ') === means;
    return rowItem('other status', walked, isSame ? means : `${shown}: ${means}`, more);
  }
  const command = PLAIN_STATUS.test(status) ? { command: `statuses ${quoted(status)} --means MEANING` } : {};
  return rowItem('other status', walked, `${shown}: nobody has said what this status means`, { ...more, ...command });
}

/** A status that can stand in a command as it is: the service's text could be anything else to a shell. */
const PLAIN_STATUS = /^[A-Za-z0-9_][\w. -]{0,59}$/;

const MEANS = { review: 'under review', declined: 'declined' } as const;

const DAY_MS = 86_400_000;

/**
 * Finds a limit that has been under review for longer than so many days. The time counts from the service's answer, by which the row was
 * done; a later decision changes what the row says, and not this time.
 */
export function longReview(
  walked: WalkedRow,
  { meanings, days, atMs }: { meanings: Meanings; days: number; atMs: number },
): FoundItem | undefined {
  const { result } = walked;
  const { state, sinceMs } = result;
  // The row's age is checked first, because that needs no parsing of the service's answer.
  if (state !== 'done' || atMs - sinceMs <= days * DAY_MS) return undefined;
  const { status = '' } = result.record;
  if (statusMeaningOf(status, meanings) !== 'review') return undefined;
  const says = `under review for longer than ${counted(days, 'day')}`;
  return rowItem('long review', walked, says, { sinceMs, detail: result.limitId });
}
