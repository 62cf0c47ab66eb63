import { moneyText } from '../../../counted.ts';
import { ROW_OUTCOMES, stateWords } from '../../../ledger/counts/row-outcome.ts';
import type { Plan, PlanAction } from '../../../ledger/plans/plan.ts';
import type { RowState } from '../../../ledger/schema/row.ts';
import { queryOfFilter, type RowFilter } from '../../../ledger/search/row-filter.ts';
import { countWords, t, translated } from '../../html/html.ts';
import { listWords, shellWord } from '../../parts/text.ts';
import { durationWords } from '../new/words.ts';

/** The texts of an action: button, question, progress, result. */
type ActionWords = {
  button: (rows: string) => string;
  question: (rows: string) => string;
  goesOn: string;
  done: (rows: string) => string;
};

/** The texts of a plan's action. Rows that were given up before they were sent are not sent *again*. */
export function actionWords({ action, filter }: Pick<Plan, 'action' | 'filter'>): ActionWords {
  return action === 'retry' && asksForUnsent(filter) ? FIRST_TIME : ACTION_WORDS[action];
}

/** Whether a filter finds only rows that were given up before they were sent. */
export function asksForUnsent({ states = [], outcomes = [] }: RowFilter): boolean {
  const all: string[] = [...states, ...outcomes];
  return all.length > 0 && all.every((one) => one === 'cancelled' || one === 'not_sent');
}

const FIRST_TIME: ActionWords = {
  button: (rows) => t`Send ${rows}`,
  question: (rows) => t`Send ${rows}?`,
  goesOn: t`Rows are being sent`,
  done: (rows) => t`${rows} to be sent`,
};

const ACTION_WORDS: Readonly<Record<PlanAction, ActionWords>> = {
  retry: {
    button: (rows) => t`Send ${rows} again`,
    question: (rows) => t`Send ${rows} again?`,
    goesOn: t`Rows are being sent again`,
    done: (rows) => t`${rows} sent again`,
  },
  cancel: {
    button: (rows) => t`Cancel ${rows}`,
    question: (rows) => t`Cancel ${rows}?`,
    goesOn: t`Rows are being cancelled`,
    done: (rows) => t`${rows} cancelled`,
  },
  resend: {
    button: (rows) => t`Send ${rows} again all the same`,
    question: (rows) => t`Send ${rows} again, though they may exist already?`,
    goesOn: t`Unanswered rows are being sent again`,
    done: (rows) => t`${rows} sent again`,
  },
};

/** The words for a number of rows that all have one state, such as `3 rejected rows`. Rows of other states are only counted as rows. */
const ROWS_OF: Partial<Record<RowState, (rows: number) => string>> = {
  refused: (rows) => countWords(rows, 'rejected row'),
  held: (rows) => countWords(rows, 'unanswered row'),
  cancelled: (rows) => countWords(rows, 'cancelled row'),
};

/** The number of rows of a plan as a text: `3 rejected rows`, `at least 12,000 rows`. */
export function rowsWords(rows: number, { states = [] }: RowFilter, isExact = true): string {
  const [only, ...others] = states;
  const which = only !== undefined && others.length === 0 ? ROWS_OF[only] : undefined;
  const words = which?.(rows) ?? countWords(rows, 'row');
  return isExact ? words : t`at least ${words}`;
}

/** The conditions of a plan's filter, a phrase each. */
export function filterWords({ filter, cause }: Pick<Plan, 'filter' | 'cause'>): string[] {
  const { states = [], outcomes = [], step, problem, status, min, max, rows, text, cause: id } = filter;
  const words = [
    ...(states.length > 0
      ? [
          t`with the outcome ${listWords([...new Set(states.map((state) => `“${translated(stateWords(state))}”`))], 'or')}`,
        ]
      : []),
    ...(outcomes.length > 0
      ? [
          t`with the outcome ${listWords(
            outcomes.map((one) => `“${translated(ROW_OUTCOMES[one])}”`),
            'or',
          )}`,
        ]
      : []),
    ...(step === undefined ? [] : [t`at the step ${translated(step)}`]),
    ...(problem === undefined ? [] : [t`with “${problem}” in the problem`]),
    ...(id === undefined ? [] : [cause === null ? t`failed for the cause ${id}` : t`failed for: ${cause}`]),
    ...(status === undefined ? [] : [t`answered "${status}"`]),
    ...(min === undefined ? [] : [t`asking for ${moneyText(min)} or more`]),
    ...(max === undefined ? [] : [t`asking for ${moneyText(max)} or less`]),
    ...(rows === undefined ? [] : [t`chosen one by one, ${countWords(rows.length, 'row')}`]),
    ...(text === undefined ? [] : [t`found by "${text}"`]),
  ];
  return [...new Set(words)];
}

/** A range of time such as `4 to 6 min`; `not known yet` for null. */
export function timeWords(seconds: { from: number; to: number } | null): string {
  if (seconds === null) return t`not known yet`;
  const [from, to] = [durationWords(Math.max(1, seconds.from)), durationWords(Math.max(1, seconds.to))];
  if (from === to) return t`about ${from}`;
  const [number, unit] = from.split(' ');
  return to.endsWith(` ${unit}`) ? t`${number} to ${to}` : t`${from} to ${to}`;
}

/** The command that does the same as a plan; undefined where there is none. */
export function commandOf(given: Pick<Plan, 'action' | 'portfolio' | 'filter' | 'whole'>): string | undefined {
  const { action, portfolio, filter, whole } = given;
  const command = (...words: string[]) => ['npx limitline', ...words].join(' ');
  const name = shellWord(portfolio);
  const { states = [], cause, ...rest } = filter;
  const isUsual = Object.values(rest).every((one) => one === undefined) && states.length === 1;
  if (action === 'resend')
    return isUsual && cause === undefined ? command('resolve', name, '--all', '--resend') : undefined;
  if (whole) return command('cancel', name);
  if (isUsual && cause !== undefined && states[0] === 'refused')
    return command(action, name, '--cause', shellWord(cause));
  if (isUsual && action === 'retry' && cause === undefined) {
    return states[0] === 'refused' ? command('retry', name) : command('retry', name, '--state', 'cancelled');
  }
  const query = queryOfFilter(filter);
  return query === '' ? undefined : command(action, name, '--where', shellWord(query));
}
