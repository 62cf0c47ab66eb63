import { Big } from 'big.js';
import { counted } from '../../../src/counted.ts';
import { amountText, shareOf } from '../../../src/ledger/counts/amounts.ts';
import type { CheckName, FoundItem, FoundSink } from '../../../src/ledger/nightly/checks.ts';
import type { RowState } from '../../../src/ledger/schema/row.ts';
import {
  type AdviseAbove,
  lackingStatements,
  OLDEST_MONTHS,
  readStatements,
  statementsAmong,
} from '../../../src/portfolio/lines/advice.ts';
import { visible } from '../../../src/portfolio/problem.ts';
import { type Meanings, statusMeaningOf } from '../../../src/status-meaning.ts';
import { DAY_MS } from '../../../src/time-units.ts';
import { quoted, type RowCheck, rowItem, type WalkedRow } from '../walk-ledger.ts';

/** Makes a row check of a function that looks at one row alone. */
export function eachRow(sink: FoundSink, check: (walked: WalkedRow) => FoundItem | undefined): RowCheck {
  return {
    row(walked) {
      const found = check(walked);
      return found && sink.found(found);
    },
  };
}

/**
 * Finds approved limits below or above the request, approvals with nothing granted, and those without an amount. A skipped request is left
 * to the row that made it. Of an id that a person gave, neither status nor amount is known, and there is nothing to compare.
 */
export function grantedBelow(walked: WalkedRow, meanings: Meanings): FoundItem | undefined {
  const { state, record, request, limitId } = walked.result;
  const { total_limit: granted, status } = record;
  if (state !== 'done' || (granted === undefined && !status)) return undefined;
  const isApproved = statusMeaningOf(status, meanings) === 'approved';
  if (granted === undefined)
    return isApproved
      ? rowItem('answered otherwise', walked, 'approved, but the answer says no amount', { detail: limitId })
      : undefined;
  const more = { [isApproved ? 'granted' : 'named']: granted, detail: limitId };
  if (amountText(granted) === '?')
    return rowItem('answered otherwise', walked, 'the answer says an amount that cannot be read', more);
  const { requested_limit: requested } = request.limit;
  const share = isApproved ? shareOf(granted, requested) : '';
  if (share === '6') {
    const what = granted.startsWith('-') ? 'a negative amount' : 'nothing';
    return rowItem('other status', walked, `approved, but ${what} was granted`, more);
  }
  if (share === '4' && new Big(granted).gt(requested))
    return rowItem('answered otherwise', walked, 'more was granted than requested', more);
  return share === '5' ? rowItem('granted below', walked, 'less than requested', more) : undefined;
}

/** Finds a limit that the service answered with other values than were sent, in fields that do not decide to which request it belongs. */
export function differingAnswer(walked: WalkedRow): FoundItem | undefined {
  const { record, limitId } = walked.result;
  if (!record.differs) return undefined;
  return rowItem('answered otherwise', walked, 'the answer differs from what was sent', {
    detail: `${limitId}: ${record.differs}`,
  });
}

/**
 * Finds a request without documents or with old statements that is so large that the service advises audited statements (docs/service.md,
 * "Advice"). The import warns by the same rule, at its own date. It also warns of a single document, which may contain both statements.
 *
 * @param oldest the oldest allowed date of statements, YYYY-MM-DD (`adviceDates`)
 */
export function statementsOf(walked: WalkedRow, oldest: string, above?: AdviseAbove): FoundItem | undefined {
  const { state, request, statements } = walked.result;
  const stage = STAGES[state];
  if (stage === undefined) return undefined;
  const amount = request.limit.requested_limit;
  const { dated, currency } = readStatements(statements);
  const documents = statementsAmong(request.documents);
  const lacking = lackingStatements({ amount, documents, dated, currency }, oldest, above);
  if (lacking === null || lacking === 'one') return undefined;
  const [check, what]: [CheckName, string] =
    lacking === 'none' ? ['no statements', 'no document is named'] : ['old statements', OLD];
  const more = dated === undefined ? {} : { detail: `statements of ${dated}` };
  return rowItem(check, walked, `${stage}: ${what}`, more);
}

/**
 * The rows that the check of audited financial statements covers, by state, and the words for them. Rows under way are checked when they
 * have ended. A cancelled row asks for nothing, and a skipped row's limit was made for another row.
 */
const STAGES: Readonly<Partial<Record<RowState, string>>> = {
  awaiting: 'not sent yet',
  held: 'held',
  refused: 'refused',
  done: 'limit made',
};

const OLD = `the statements are older than ${OLDEST_MONTHS} months`;

/** The most characters of a status that are shown: longer texts are no real status, and their beginnings tell them apart. */
const MOST_CHARACTERS = 60;

/** Finds a limit with a status that does not mean approved, and asks what it means where nobody has said that. */
export function otherStatus(walked: WalkedRow, meanings: Meanings): FoundItem | undefined {
  const { state, record, limitId } = walked.result;
  const { status = '', total_limit: named } = record;
  const meaning = statusMeaningOf(status, meanings);
  if (state !== 'done' || meaning === 'approved') return undefined;
  const more = { detail: limitId, ...(named === undefined ? {} : { named }) };
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
