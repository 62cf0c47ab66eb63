import { LimitlineError } from '../../errors.ts';
import { isStep, ROW_STATES, type RowState, STEPS, type Step } from '../schema/row.ts';

/** Which rows of a portfolio are meant: those for which all that is said holds. Nothing said means all of them. */
export type RowFilter = {
  /** In one of these states. */
  states?: readonly RowState[];
  /** At this step, or ended there. */
  step?: Step;
  /** Its problem, or what the service said with it, contains this text, in any case. */
  problem?: string;
  /** Failed for this cause, by its id. */
  cause?: string;
  /** The service's own word for a limit that was made, such as `approved`, as it came. */
  status?: string;
  /** Requested limit from and to, both included: decimal text. */
  min?: string;
  max?: string;
  /** A line number, the beginning of a name in any case, or a reference, registration number or id as a whole. */
  text?: string;
};

/** The query of an address as a server reads it: a name that comes several times is a list. */
export type Query = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The longest text that is looked for: no name, reference or id is longer. */
const LONGEST_TEXT = 400;

/**
 * A filter as the query of an address, without the question mark: `states=refused,held&min=1000`. The empty text means all
 * rows. {@link filterFromQuery} reads it again.
 */
export function queryOfFilter(filter: RowFilter): string {
  const query = new URLSearchParams();
  if (filter.states && filter.states.length > 0) query.set('states', filter.states.join(','));
  for (const name of ['step', 'problem', 'cause', 'status', 'min', 'max', 'text'] as const) {
    const value = filter[name];
    if (value !== undefined) query.set(name, value);
  }
  return query.toString();
}

/**
 * Reads the filter in a query; other names of the query are left alone, and what is empty was not said.
 *
 * @throws LimitlineError `USAGE` for a state that does not exist, an amount that is none, or a name that comes twice: left out,
 *   it would mean more rows than were asked for
 */
export function filterFromQuery(query: Query): RowFilter {
  const filter: RowFilter = {};
  const states = listOf(query.states)
    .flatMap((text) => text.split(','))
    .filter((text) => text !== '');
  if (states.length > 0) filter.states = ROW_STATES.filter((state) => states.map(stateOf).includes(state));
  const step = textOf(query, 'step');
  if (step !== undefined) filter.step = stepOf(step);
  const problem = textOf(query, 'problem');
  if (problem !== undefined) filter.problem = problem;
  const cause = textOf(query, 'cause');
  if (cause !== undefined) filter.cause = cause;
  const status = textOf(query, 'status');
  if (status !== undefined) filter.status = status;
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

function stateOf(text: string): RowState {
  const state = ROW_STATES.find((one) => one === text);
  if (!state) throw new LimitlineError('USAGE', `There is no such state; use one of: ${ROW_STATES.join(', ')}.`);
  return state;
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
    throw new LimitlineError('USAGE', `"${name}" is longer than anything that there is: shorten it.`);
  }
  return name === 'status' ? value : value.trim();
}

/** `1,000.50` is taken as well as `1000.50`. */
function amountOf(query: Query, name: 'min' | 'max'): string | undefined {
  const text = textOf(query, name);
  if (text === undefined) return undefined;
  const plain = /^\d{1,3}(,\d{3})+(\.\d+)?$/.test(text) ? text.replaceAll(',', '') : text;
  if (/^\d{1,40}(\.\d{1,40})?$/.test(plain)) return plain;
  const what = name === 'min' ? 'least' : 'largest';
  throw new LimitlineError('USAGE', `The ${what} amount is not a number such as 25000 or 25000.50.`);
}
