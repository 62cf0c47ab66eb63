import { Big } from 'big.js';
import { counted, grouped, moneyText } from '../../counted.ts';
import { type Meanings, statusMeaningOf } from '../../status-meaning.ts';
import { exactText } from './outcome-sums.ts';
import { ROW_OUTCOMES } from './row-outcome.ts';
import { type AnswerSum, rowsOfAnswers } from './sums.ts';

/**
 * The answers to a portfolio's rows: their numbers by status, the same of requests that were made `before` elsewhere, and the numbers of
 * approvals that grant less than the request (`grantedBelow`) or nothing. `outcomes` counts own rows alone.
 */
type Answered = {
  statuses: Readonly<Record<string, number>>;
  states: { readonly done: number };
  outcomes: { readonly partly_approved: { readonly rows: number } };
  before: { statuses: Readonly<Record<string, number>> };
  grantedBelow: number;
  grantedNothing: number;
};

/** The most statuses that are listed one by one; the counts of further ones are added up. The results file has all. */
const KINDS_TOLD = 10;

/**
 * Phrases about answers that a person should look at: no approvals, and limits below the request. Exit status 0 only means that
 * everything was answered.
 */
export function notQuiteGranted(answered: Answered, meanings: Meanings): string[] {
  const { statuses, outcomes } = answered;
  const own = notApproved([['', withoutStatus(answered)], ...Object.entries(statuses)], '', meanings);
  const below = outcomes.partly_approved.rows;
  return [
    ...own,
    ...(below === 0 ? [] : [`${counted(below, 'limit')} granted below the request`]),
    ...besidesOutcomes(answered, meanings),
  ];
}

/**
 * Those phrases of {@link notQuiteGranted} that add to a list of sums by outcome. That list counts requests that were made before under one
 * outcome, whatever the service answered to them.
 */
export function besidesOutcomes(
  {
    before,
    outcomes,
    grantedBelow,
    grantedNothing,
  }: Pick<Answered, 'before' | 'outcomes' | 'grantedBelow' | 'grantedNothing'>,
  meanings: Meanings,
): string[] {
  // Partly approved rows are an outcome of their own. What else was granted below its request was requested before.
  const belowBefore = grantedBelow - outcomes.partly_approved.rows;
  return [
    ...notApproved(Object.entries(before.statuses), 'requested before, and ', meanings),
    ...(belowBefore === 0 ? [] : [`requested before, and granted below the request: ${counted(belowBefore, 'limit')}`]),
    ...(grantedNothing === 0 ? [] : [`${counted(grantedNothing, 'limit')} approved with nothing granted`]),
  ];
}

function notApproved(counts: [status: string, count: number][], what: string, meanings: Meanings): string[] {
  const meant = Map.groupBy(counts, ([status]) => statusMeaningOf(status, meanings) ?? 'open');
  const others = listed([...(meant.get('review') ?? []), ...(meant.get('declined') ?? [])], (status) =>
    meantWords(status, meanings),
  );
  const open = listed(meant.get('open') ?? [], (status) =>
    status === '' ? statusWords(status) : `“${statusWords(status)}”`,
  );
  return [
    ...(others === '' ? [] : [`${what}not approved: ${others}`]),
    ...(open === '' ? [] : [`${what}not known to be approved: ${open}`]),
  ];
}

/** Answers by status, as the service wrote it: `3 under review, 1 without a status`; empty without any. */
export function answerCountWords(given: Pick<Answered, 'statuses' | 'states' | 'before'>): string {
  const { statuses, states, before } = given;
  const now = listed([...Object.entries(statuses), ['', withoutStatus({ statuses, states })]]);
  const earlier = listed(Object.entries(before.statuses));
  return [now, earlier === '' ? '' : `before: ${earlier}`].filter((words) => words !== '').join('; ');
}

function withoutStatus({ statuses, states }: Pick<Answered, 'statuses' | 'states'>): number {
  return states.done - Object.values(statuses).reduce((sum, count) => sum + count, 0);
}

function listed(counts: [status: string, count: number][], wordsOf = statusWords): string {
  const some = counts.filter(([, count]) => count > 0).sort(([, a], [, b]) => b - a);
  const words = some.slice(0, KINDS_TOLD).map(([status, count]) => `${grouped(count)} ${wordsOf(status)}`);
  const rest = some.slice(KINDS_TOLD).reduce((sum, [, count]) => sum + count, 0);
  if (rest > 0) words.push(`${grouped(rest)} of other statuses`);
  return words.join(', ');
}

/** The words for what people say that a status means. The status itself follows in brackets if it is another word. */
function meantWords(status: string, meanings: Meanings): string {
  const [meaning, written] = [statusMeaningOf(status, meanings), statusWords(status)];
  if (meaning === undefined) return written;
  const words = ROW_OUTCOMES[meaning === 'review' ? 'under_review' : meaning];
  return words === written ? written : `${words} (${written})`;
}

/** A status, cut to 60 characters. It is the service's text: a page that shows it has to escape invisible characters. */
const statusWords = (status: string): string => (status === '' ? 'without a status' : status.slice(0, 60));

/**
 * Sentences on what the sums of answers do not show: how much was granted above the requests, and why the outcome of some limits is not
 * known.
 *
 * @param bring how a status is brought, a sentence behind that of limits without one
 * @param currency the currency, if all files name the same one
 */
export function answerNotes(
  answers: readonly AnswerSum[],
  meanings: Meanings,
  { bring, currency }: { bring: string; currency: string | undefined },
): string[] {
  const meaningOf = ({ status }: AnswerSum) => statusMeaningOf(status, meanings);
  const approved = answers.filter((answer) => meaningOf(answer) === 'approved');
  // Each of these limits is at least as large as its request, so the difference of the two sums was granted above the requests.
  const whole = approved.filter(({ share }) => share === 'all');
  const above = exactText(whole.flatMap(({ granted, requested }) => [granted, `-${requested}`]));
  const unread = rowsOfAnswers(approved.filter(({ share }) => share === 'unknown'));
  const open = answers.filter((answer) => meaningOf(answer) === undefined);
  const unexplained = rowsOfAnswers(open.filter(({ status }) => status !== ''));
  const bare = rowsOfAnswers(open.filter(({ status }) => status === ''));
  return [
    ...(new Big(above).gt(0)
      ? [`More was granted than requested: ${moneyText(above, currency)} above the requests.`]
      : []),
    ...(unread > 0
      ? [
          `Of ${counted(unread, 'approved limit')} the service named no amount that can be read: how much was granted is not known.`,
        ]
      : []),
    ...(unexplained + bare > 0
      ? [
          `Of ${counted(unexplained + bare, 'limit')} the outcome is not known: ${whyOpen(unexplained, bare)}.${bare > 0 ? bring : ''}`,
        ]
      : []),
  ];
}

function whyOpen(unexplained: number, bare: number): string {
  if (unexplained === 0) return 'no status is known';
  if (bare === 0) return `nobody has said what ${unexplained === 1 ? 'its' : 'their'} status means`;
  return `nobody has said what the status of ${grouped(unexplained)} means, and ${counted(bare, 'has', 'have')} no status`;
}
