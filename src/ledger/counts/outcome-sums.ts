import { Big } from 'big.js';
import { type Meanings, statusMeaningOf } from '../../status-meaning.ts';
import { ROW_STATES, type RowState } from '../schema/row.ts';
import { ANSWER_OUTCOMES, outcomeOfAnswer, outcomeOfState, ROW_OUTCOMES, type RowOutcome } from './row-outcome.ts';
import type { AnswerSum, EarlierSum, Sums } from './sums.ts';

/**
 * Rows of one outcome: how many, the sum that they requested, and what the service granted them; exact decimal text. Only an approved
 * limit is granted: an amount that the service names beside another status counts as nothing.
 */
export type OutcomeSum = { rows: number; requested: string; granted: string };

type Counted = {
  states: Readonly<Record<RowState, number>>;
  sums: Pick<Sums, 'byState'>;
  answers: readonly AnswerSum[];
  earlier: readonly EarlierSum[];
  replaced: number;
};

/** All outcomes of a portfolio's rows, by what statuses mean now. A row that another replaces has none: its line is no longer in the file. */
export function outcomesOf(
  { states, sums, answers, earlier, replaced }: Counted,
  meanings: Meanings,
): Record<RowOutcome, OutcomeSum> {
  const found: (OutcomeSum & { outcome: RowOutcome })[] = answers.map(({ rows, requested, ...answer }) => {
    const granted = isApproved(answer, meanings) ? answer.granted : '0';
    return { outcome: outcomeOfAnswer(answer, meanings), rows, requested, granted };
  });
  // An older version of Limitline may have counted done rows in the meantime, without the answer that the sums need. Such rows count as
  // `answered`.
  const rest = states.done - found.reduce((all, { rows }) => all + rows, 0);
  if (rest !== 0) {
    const requested = new Big(sums.byState.done).minus(addUp(found).requested).toFixed();
    found.push({ outcome: 'answered', rows: rest, requested, granted: '0' });
  }
  for (const state of ROW_STATES) {
    if (state === 'done') continue;
    const rows = states[state] - (state === 'cancelled' ? replaced : 0);
    const granted = state === 'skipped' ? approvedSum(earlier, 'granted', meanings) : '0';
    found.push({ outcome: outcomeOfState(state), rows, requested: sums.byState[state], granted });
  }
  const of = Map.groupBy(found, ({ outcome }) => outcome);
  const all = Object.keys(ROW_OUTCOMES) as RowOutcome[];
  return Object.fromEntries(all.map((outcome) => [outcome, addUp(of.get(outcome) ?? [])])) as ReturnType<
    typeof outcomesOf
  >;
}

/** What the service granted, of done rows and of rows whose limits were made `before`; exact decimal text. */
export type GrantedSums = {
  granted: string;
  /** The part of `granted` that is still available. `withoutAvailable`: the number of approved rows of which that is not known. */
  available: string;
  withoutAvailable: number;
  before: { granted: string; statuses: Record<string, number> };
};

/** Adds up what was granted, by what statuses mean now. */
export function grantedOf(
  given: Pick<Counted, 'answers' | 'earlier'> & { earlierStatuses: Record<string, number> },
  meanings: Meanings,
): GrantedSums {
  const { answers, earlier, earlierStatuses } = given;
  return {
    granted: approvedSum(answers, 'granted', meanings),
    available: approvedSum(answers, 'available', meanings),
    withoutAvailable: answers.filter((one) => isApproved(one, meanings)).reduce((all, { unsaid }) => all + unsaid, 0),
    before: { granted: approvedSum(earlier, 'granted', meanings), statuses: earlierStatuses },
  };
}

/**
 * Whether what was granted is known of some rows with these outcomes, or there are none. The service has not decided on a request under
 * review, and a status that nobody explained grants nothing that is known. `before`: the statuses of requests that were made before.
 */
export function isGrantKnown(
  sums: Readonly<Record<RowOutcome, OutcomeSum>>,
  outcomes: readonly RowOutcome[] = ANSWER_OUTCOMES,
  { before, meanings }: { before: readonly string[]; meanings: Meanings } = { before: [], meanings: new Map() },
): boolean {
  const some = outcomes.filter((one) => sums[one].rows > 0);
  const isDecided = (status: string) => {
    const means = statusMeaningOf(status, meanings);
    return means === 'approved' || means === 'declined';
  };
  const isKnown = (one: RowOutcome) =>
    one === 'requested_before'
      ? before.length === 0 || before.some(isDecided)
      : one !== 'answered' && one !== 'under_review';
  return some.length === 0 || some.some(isKnown);
}

function approvedSum<F extends string>(
  some: readonly (Pick<EarlierSum, 'status' | 'share'> & Record<F, string>)[],
  field: F,
  meanings: Meanings,
): string {
  return exactText(some.filter((one) => isApproved(one, meanings)).map((one) => one[field]));
}

function isApproved(answer: Pick<EarlierSum, 'status' | 'share'>, meanings: Meanings): boolean {
  return ['approved', 'partly_approved'].includes(outcomeOfAnswer(answer, meanings));
}

function addUp(some: readonly OutcomeSum[]): OutcomeSum {
  return {
    rows: some.reduce((all, { rows }) => all + rows, 0),
    requested: exactText(some.map(({ requested }) => requested)),
    granted: exactText(some.map(({ granted }) => granted)),
  };
}

/** An amount as decimal text, with the currency that its file names, if it names one. */
export type AmountIn = { amount: string; currency: string | undefined };

/** The exact sums of amounts, one for each currency. All figures of a page have them in the same order: by name, those without one first. */
export function sumsByCurrency(all: readonly AmountIn[]): AmountIn[] {
  return [...Map.groupBy(all, ({ currency }) => currency)]
    .map(([currency, some]) => ({ currency, amount: exactText(some.map(({ amount }) => amount)) }))
    .sort(({ currency: one = '' }, { currency: other = '' }) => (one < other ? -1 : 1));
}

/** The currency that all files of a portfolio name; undefined where they differ, one names none, or one is not read to its end. */
export function soleCurrency(given: {
  currencies: readonly string[];
  importing: boolean;
  interrupted: boolean;
}): string | undefined {
  const { currencies, importing, interrupted } = given;
  return currencies.length === 1 && !importing && !interrupted ? currencies[0] || undefined : undefined;
}

/** The exact sum of decimal texts, with two decimals or more. */
export function exactText(amounts: readonly string[]): string {
  const sum = amounts.reduce((all, amount) => all.plus(amount), new Big(0));
  return (sum.toFixed().split('.')[1] ?? '').length > 2 ? sum.toFixed() : sum.toFixed(2);
}
