import { Big } from 'big.js';
import type { Meanings } from '../../status-meaning.ts';
import { ROW_STATES, type RowState } from '../schema/row.ts';
import { outcomeOfAnswer, outcomeOfState, ROW_OUTCOMES, type RowOutcome } from './row-outcome.ts';
import type { AnswerSum, Sums } from './sums.ts';

/** Rows of one outcome: how many, the sum that they requested, and what the service granted them; exact decimal text. */
export type OutcomeSum = { rows: number; requested: string; granted: string };

type Counted = {
  states: Readonly<Record<RowState, number>>;
  sums: Pick<Sums, 'byState' | 'before' | 'granted'>;
  answers: readonly AnswerSum[];
  replaced: number;
};

/** All outcomes of a portfolio's rows, by what statuses mean now. A row that another replaces has none: its line is no longer in the file. */
export function outcomesOf(
  { states, sums, answers, replaced }: Counted,
  meanings: Meanings,
): Record<RowOutcome, OutcomeSum> {
  const found: (OutcomeSum & { outcome: RowOutcome })[] = answers.map(({ status, share, ...sum }) => {
    return { ...sum, outcome: outcomeOfAnswer({ status, share }, meanings) };
  });
  // Rows that an older version counted since they were last added up have an answer that is not known here.
  const rest = states.done - found.reduce((all, { rows }) => all + rows, 0);
  if (rest !== 0) found.push({ outcome: 'answered', rows: rest, ...restOf(sums, found) });
  for (const state of ROW_STATES) {
    if (state === 'done') continue;
    const rows = states[state] - (state === 'cancelled' ? replaced : 0);
    const granted = state === 'skipped' ? sums.before.granted : '0';
    found.push({ outcome: outcomeOfState(state), rows, requested: sums.byState[state], granted });
  }
  const of = Map.groupBy(found, ({ outcome }) => outcome);
  const all = Object.keys(ROW_OUTCOMES) as RowOutcome[];
  return Object.fromEntries(all.map((outcome) => [outcome, addUp(of.get(outcome) ?? [])])) as ReturnType<
    typeof outcomesOf
  >;
}

function restOf({ byState, granted }: Counted['sums'], some: readonly OutcomeSum[]) {
  const counted = addUp(some);
  return {
    requested: new Big(byState.done).minus(counted.requested).toFixed(),
    granted: new Big(granted).minus(counted.granted).toFixed(),
  };
}

function addUp(some: readonly OutcomeSum[]): OutcomeSum {
  return {
    rows: some.reduce((all, { rows }) => all + rows, 0),
    requested: exactText(some.map(({ requested }) => requested)),
    granted: exactText(some.map(({ granted }) => granted)),
  };
}

/** The exact sum of decimal texts, with two decimals or more. */
export function exactText(amounts: readonly string[]): string {
  const sum = amounts.reduce((all, amount) => all.plus(amount), new Big(0));
  return (sum.toFixed().split('.')[1] ?? '').length > 2 ? sum.toFixed() : sum.toFixed(2);
}
