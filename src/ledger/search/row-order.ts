import { LimitlineError } from '../../errors.ts';
import { ROW_STATES } from '../schema/row.ts';
import { type FoundRow, NOBODY, type RowFilter, statesOf } from './row-filter.ts';
import type { Cursor } from './row-pages.ts';
import type { RowSources, Valued } from './row-sources.ts';
import { FEW_ROWS, LOOKS_PER_ROW, type SearchWalks, turnedOff, type Walk, type WalkPlan } from './row-walks.ts';

/** The orders in which rows are listed; `-` in front reverses one: the last, largest or latest first. */
const ROW_ORDERS = ['line', '-line', 'amount', '-amount', 'changed', '-changed'] as const;
export type RowOrder = (typeof ROW_ORDERS)[number];

/** The order that a word of a URL names; `line` for any other word. */
export function rowOrderOf(word: unknown): RowOrder {
  return ROW_ORDERS.find((order) => order === word) ?? 'line';
}

/** Most rows that are read in order to sort them, and rows read at once. */
const MOST_SORTED = 2_000;
const READ_AT_ONCE = 250;

/** Lists rows in another order than that of lines: few rows are read and sorted, more are walked by an index of that order. */
export function makeRowOrders(
  sources: RowSources,
  { wayTo, readAll, isSearched }: SearchWalks,
): (portfolio: string, filter: RowFilter, order: RowOrder) => Promise<WalkPlan> {
  /** All rows of a walk, sorted. */
  function sorted({ walk }: WalkPlan, order: RowOrder): Walk {
    return async (after) => {
      const found: FoundRow[] = [];
      let place: Cursor | undefined;
      let cost = 0;
      do {
        const step = await walk(place, READ_AT_ONCE);
        found.push(...step.rows);
        cost += step.cost;
        if (step.next && cost >= MOST_SORTED) throw tooMany();
        place = step.next;
      } while (place);
      const sign = signOf(order);
      const behind = valuedOf(after);
      const rows = found
        .map((each) => ({ ...each, at: placeIn(each, order) }))
        .filter(({ at }) => !behind || sign * compared(at, behind) > 0)
        .sort(({ at: one }, { at: other }) => sign * compared(one, other));
      return { rows, next: undefined, cost };
    };
  }

  /** Rows by the index of an order, behind a place; `next`: where to continue, if there may be more; `seen`: entries visited. */
  async function readIndex(
    portfolio: string,
    { filter, order, lastLine }: { filter: RowFilter; order: RowOrder; lastLine: number },
    { after, count }: { after: Valued | undefined; count: number },
  ): Promise<{ found: string[]; next: Valued | undefined; seen: number }> {
    const isDown = signOf(order) < 0;
    if (order.endsWith('amount')) {
      const { found, isAll, seen } = await sources.byAmount(portfolio, filter, { after, lastLine, count, isDown });
      return { found: found.map(({ key }) => key), next: isAll ? undefined : found.at(-1), seen };
    }
    const states = statesOf(filter);
    const isChange = order.endsWith('changed');
    const place = after && { line: after.value, key: after.key };
    const found = await sources.byLine(portfolio, isChange ? 'changed' : { states }, { after: place, count, isDown });
    const last = found.length < count ? undefined : found.at(-1);
    const keys = found.map(({ key }) => key);
    const isMeant = (state: string) => states.some((one) => one === state);
    const isSome = isChange && states.length < ROW_STATES.length;
    const meant = isSome ? await sources.inWhich(portfolio, keys, 'state', isMeant) : keys;
    return { found: meant, next: last && { value: last.line, line: 0, key: last.key }, seen: found.length };
  }

  return async (portfolio, filter, order) => {
    const way = await wayTo(portfolio, filter);
    const { text, rows, cause, ...rest } = filter;
    const sizes = await sources.sizes(portfolio);
    const meant = statesOf(filter).reduce((sum, state) => sum + (sizes.states.get(state) ?? 0), 0);
    const size = cause === undefined ? meant : await sources.sizeOfCause(portfolio, cause);
    if (text !== undefined || rows !== undefined || size <= FEW_ROWS) return { ...way, walk: sorted(way, order) };
    const isByLine = order.endsWith('line');
    if (!isByLine && !isSearched) throw turnedOff();
    const walk: Walk = async (after, count) => {
      const of = { filter, order, lastLine: sizes.lastLine };
      const { found, next, seen } = await readIndex(portfolio, of, { after: valuedOf(after), count });
      const read = await readAll(portfolio, found);
      const placed = read.map((each) => ({ ...each, at: placeIn(each, order) }));
      return { rows: placed, next, cost: found.length + seen / LOOKS_PER_ROW };
    };
    const indexed = order.endsWith('amount') ? sizes.indexed : sizes.changed;
    const isSure = cause === undefined && Object.keys(rest).every((name) => name === 'states') && isByLine;
    const unindexed = isByLine ? 0 : Math.max(0, sizes.rows - indexed);
    return { walk, isSure, referred: NOBODY, unindexed, meanings: way.meanings };
  };
}

export function reversed(order: RowOrder): RowOrder {
  return rowOrderOf(order.startsWith('-') ? order.slice(1) : `-${order}`);
}

/** The place of a row in an order, as the index has it; an amount that is no number comes before all others. */
export function placeIn({ row: { key }, result }: FoundRow, order: RowOrder): Valued {
  const { line, updatedMs, request } = result;
  if (order.endsWith('line')) return { value: line, line, key };
  if (order.endsWith('changed')) return { value: updatedMs, line, key };
  const asked = request.limit.requested_limit;
  return { value: /^\d+\.?\d*$/.test(asked) ? Number(asked) : -1, line, key };
}

const signOf = (order: RowOrder): 1 | -1 => (order.startsWith('-') ? -1 : 1);

function compared(one: Valued, other: Valued): number {
  return one.value - other.value || one.line - other.line || (one.key === other.key ? 0 : one.key < other.key ? -1 : 1);
}

const valuedOf = (cursor: Cursor | undefined): Valued | undefined => (cursor && 'value' in cursor ? cursor : undefined);

function tooMany(): LimitlineError {
  const message =
    'More rows are found than can be put in order. Write more of what you look for, or list them by line.';
  return new LimitlineError('USAGE', message);
}
