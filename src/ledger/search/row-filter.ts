import { Big } from 'big.js';
import { LimitlineError } from '../../errors.ts';
import { countedStatus, type Meanings } from '../../status-meaning.ts';
import { canHave, OUTCOMES, outcomeOfRow, type RowOutcome } from '../counts/row-outcome.ts';
import { is, isStep, ROW_STATES, type RowResult, type RowState, STEPS, type Step } from '../schema/row.ts';
import { type RowId, rowName } from '../schema/schema.ts';
import { beginsWith, hasWords, namesNumber, numbersOf } from './index-words.ts';

/** A filter of a portfolio's rows: all given fields must match. Without fields it matches all rows. */
export type RowFilter = {
  states?: readonly RowState[];
  /** The row has one of these outcomes. A row that another replaces has none: it is in the counts of no outcome either. */
  outcomes?: readonly RowOutcome[];
  /** The row is at this step, or ended there. */
  step?: Step;
  /** The row's problem, or the service's response in it, contains this text in any case. */
  problem?: string;
  /** The row failed for the cause with this id. */
  cause?: string;
  /** The service's status of a made limit, such as `approved`, as the ledger counts it. */
  status?: string;
  /** Range of the requested limit, inclusive, as decimal text. */
  min?: string;
  max?: string;
  rows?: readonly string[];
  /** A line number, beginnings of words of a name in any case, or a whole reference, registration number or id. */
  text?: string;
};

/** A URL's query as a server parses it: a repeated name is a list. */
export type Query = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The longest text of a filter. No name, reference or id is longer. */
const LONGEST_TEXT = 400;

/**
 * Writes a filter as a URL's query, without the question mark: `states=refused,held&min=1000`; '' for all rows.
 * {@link filterFromQuery} reads it.
 */
export function queryOfFilter(filter: RowFilter): string {
  const query = new URLSearchParams();
  for (const name of ['states', 'outcomes', 'rows'] as const) {
    const words = filter[name] ?? [];
    if (words.length > 0) query.set(name, words.join(','));
  }
  for (const name of ['step', 'problem', 'cause', 'status', 'min', 'max', 'text'] as const) {
    const value = filter[name];
    if (value !== undefined) query.set(name, value);
  }
  return query.toString();
}

/**
 * Reads the filter in a query; other names are ignored, and empty values count as missing.
 *
 * @throws LimitlineError `USAGE` for an unknown state or outcome, an invalid amount or a repeated name: ignoring it would match more rows than asked
 *   for
 */
export function filterFromQuery(query: Query): RowFilter {
  const filter: RowFilter = {};
  const [states, outcomes] = [wordsOf(query, 'states', ROW_STATES), wordsOf(query, 'outcomes', OUTCOMES)];
  if (states.length > 0) filter.states = states;
  if (outcomes.length > 0) filter.outcomes = outcomes;
  const rows = keysOf(query);
  if (rows.length > 0) filter.rows = rows;
  const step = textOf(query, 'step');
  if (step !== undefined) filter.step = stepOf(step);
  const problem = textOf(query, 'problem');
  if (problem !== undefined) filter.problem = problem;
  const cause = textOf(query, 'cause');
  if (cause !== undefined) filter.cause = cause;
  const status = textOf(query, 'status');
  if (status !== undefined) filter.status = countedStatus(status);
  const text = textOf(query, 'text');
  if (text !== undefined) filter.text = text;
  const [min, max] = [amountOf(query, 'min'), amountOf(query, 'max')];
  if (min !== undefined) filter.min = min;
  if (max !== undefined) filter.max = max;
  return filter;
}

function listOf(value: string | readonly string[] | undefined): readonly string[] {
  return value === undefined ? [] : typeof value === 'string' ? [value] : value;
}

/** The words of a list such as `refused,held`, in the order of the known ones. */
function wordsOf<Word extends string>(query: Query, name: 'states' | 'outcomes', known: readonly Word[]): Word[] {
  const words = listOf(query[name])
    .flatMap((text) => text.split(','))
    .filter((text) => text !== '');
  if (words.some((word) => !known.some((one) => one === word))) {
    throw new LimitlineError('USAGE', `There is no such ${name.slice(0, -1)}; use one of: ${known.join(', ')}.`);
  }
  return known.filter((one) => words.includes(one));
}

/** The states that rows of a filter can have: all of them if it names neither states nor outcomes. */
export function statesOf({ states = [], outcomes = [] }: RowFilter): RowState[] {
  return ROW_STATES.filter(
    (state) => (states.length === 0 || states.includes(state)) && (outcomes.length === 0 || canHave(outcomes, state)),
  );
}

/** Rows that a person can choose at once: those of a page of any size, with addresses that each server takes. */
const MOST_ROWS = 200;

function keysOf(query: Query): string[] {
  const keys = [...new Set(listOf(query.rows).flatMap((text) => text.split(',')))].filter((key) => key !== '');
  if (keys.some((key) => !/^[\w-]{1,64}$/.test(key)))
    throw new LimitlineError('USAGE', 'One of the rows has no valid key.');
  if (keys.length > MOST_ROWS) throw new LimitlineError('USAGE', `Choose ${MOST_ROWS} rows at most.`);
  return keys;
}

function stepOf(text: string): Step {
  if (isStep(text)) return text;
  throw new LimitlineError('USAGE', `There is no such step; use one of: ${STEPS.join(', ')}.`);
}

function textOf(query: Query, name: string): string | undefined {
  const values = listOf(query[name]).filter((value) => value.trim() !== '');
  const [value] = values;
  if (value === undefined) return undefined;
  if (values.length > 1) throw new LimitlineError('USAGE', `The filter names "${name}" twice: name it once.`);
  if (value.length > LONGEST_TEXT) {
    throw new LimitlineError('USAGE', `The text of "${name}" is longer than any value of a row: shorten it.`);
  }
  return name === 'status' ? value : value.trim();
}

/** Reads an amount of a query; accepts `1,000.50` as well as `1000.50`. */
function amountOf(query: Query, name: 'min' | 'max'): string | undefined {
  const text = textOf(query, name);
  if (text === undefined) return undefined;
  const plain = /^\d{1,3}(,\d{3})+(\.\d+)?$/.test(text) ? text.replaceAll(',', '') : text;
  if (/^\d{1,40}(\.\d{1,40})?$/.test(plain)) return plain;
  const what = name === 'min' ? 'least' : 'largest';
  throw new LimitlineError('USAGE', `The ${what} amount is not a number such as 25000 or 25000.50.`);
}

export type FoundRow = { row: RowId; result: RowResult };

/** What a text means as a reference: the row of this request, and all rows of these buyers. */
export type Referred = { request: string; buyers: ReadonlySet<string> };

/** The meaning of a text that is no reference: no row and no buyer. */
export const NOBODY: Referred = { request: '', buyers: new Set() };

/** Whether a row matches all fields of the filter, by what statuses mean. Pure; amounts are compared exactly. */
export function matches(
  { row, result }: FoundRow,
  filter: RowFilter,
  referred: Referred,
  meanings: Meanings = new Map(),
): boolean {
  const { states, outcomes = [], step, problem, cause, status, min, max, rows, text } = filter;
  if (rows !== undefined && !rows.includes(row.key)) return false;
  if (states && states.length > 0 && !states.includes(result.state)) return false;
  if (outcomes.length > 0 && (result.replaced || !outcomes.includes(outcomeOfRow(result, meanings)))) return false;
  if (step !== undefined && result.step !== step) return false;
  if (problem !== undefined && !problemText(result).includes(problem.toLowerCase())) return false;
  if (cause !== undefined && !(result.cause === cause && is('isFailed', result.state))) return false;
  if (status !== undefined && countedStatus(result.record.status ?? '') !== status) return false;
  if (!isBetween(result.request.limit.requested_limit, min, max)) return false;
  if (text === undefined) return true;
  const { name } = result.request;
  return isNamedBy({ row, result }, text, referred) || beginsWith(name, text) || hasWords(name, text);
}

/** Whether a text is a complete name of a row: its line, key, a reference, a number or an id. */
export function isNamedBy({ row, result }: FoundRow, text: string, { request, buyers }: Referred): boolean {
  const { line, companyId, limitId, documentIds, request: words } = result;
  if (text === String(line) || text === row.key || text === rowName(row)) return true;
  if (row.key === request || buyers.has(words.buyer)) return true;
  const small = text.toLowerCase();
  const ids = [companyId, limitId, words.companyId ?? '', ...documentIds];
  return (
    ids.some((id) => id !== '' && id.toLowerCase() === small) ||
    numbersOf(words.limit).some((number) => namesNumber(text, number))
  );
}

function problemText({ problem }: RowResult): string {
  return `${problem?.message ?? ''} ${problem?.body ?? ''}`.toLowerCase();
}

function isBetween(amount: string, min: string | undefined, max: string | undefined): boolean {
  if (min === undefined && max === undefined) return true;
  if (!/^\d+(\.\d+)?$/.test(amount)) return false;
  return (min === undefined || new Big(amount).gte(min)) && (max === undefined || new Big(amount).lte(max));
}
