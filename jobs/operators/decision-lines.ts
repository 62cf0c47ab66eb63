import type { AboutLine } from '../../src/ledger/plans/decisions-taken.ts';
import type { Decided, LaterWord } from '../../src/ledger/rows/decisions.ts';
import { rowIdOf, STATES } from '../../src/ledger/schema/schema.ts';
import type { LimitDecision } from '../../src/portfolio/results/decisions-file.ts';

/** The decision in a line of a file of decisions: what it says of a limit, and the currencies of its amounts. */
export type Said = { at: number; word: LaterWord; currencies?: readonly string[] | undefined };

/** The most lines that are looked up or carried out at the same time. */
export const AT_ONCE = 200;

/** The number of lanes in which decisions are taken at the same time. Redis works for one lane while another one's answers are read. */
const LANES = 3;

/**
 * Finds the limit that a line's decision is about. Returns a sentence if its row or limit is not known. `now`: the decision's time if the
 * line has none.
 */
export async function saidOf(
  decision: LimitDecision,
  now: Date,
  decisions: Pick<Decided, 'limitOf' | 'find'>,
): Promise<Said | string> {
  const { at, id, row, status, total, available, currencies, decided } = decision;
  const ofRow = row === '' ? undefined : await decisions.limitOf(row);
  const made = ofRow?.limit;
  if (id === '' && made === undefined) {
    return ofRow === undefined
      ? `This account has no row ${row}. If it is archived, give its buyer_limit_id.`
      : `Row ${row} has no limit: ${STATES[ofRow.state].says}.`;
  }
  if (id !== '' && ofRow !== undefined && made !== id) {
    if (made !== undefined) return `The limit of row ${row} is ${made}, and not ${id}.`;
    const { says } = STATES[ofRow.state];
    // The id may be that of the row's own limit, of which nobody has told yet.
    return (await decisions.find(id)) === undefined
      ? `Row ${row} has no limit: ${says}.`
      : `Row ${row} has no limit (${says}), so ${id} is of another row: correct one of the two.`;
  }
  // A row of an archived portfolio is not in Redis, but the call of its request is.
  const asked = ofRow === undefined ? rowIdOf(row)?.key : undefined;
  const found = asked === undefined ? undefined : await decisions.find(id, asked);
  if (found && found.key !== asked) return `${id} is not the limit of row ${row}: correct one of the two.`;
  const limit = id === '' ? (made ?? '') : id;
  const times = { at: decided ?? now.toISOString(), isDated: decided !== undefined };
  const key = made === undefined ? undefined : rowIdOf(row)?.key;
  return { at, word: { limit, key, status, total, available, ...times }, currencies };
}

/**
 * Leaves out decisions about one limit that differ and have the same time, since nobody can say which of them counts. Adds a problem for
 * each.
 */
export function withoutContradictions(said: readonly Said[], problems: AboutLine[]): Said[] {
  const alike = [...Map.groupBy(said, ({ word }) => `${word.limit} ${word.at}`).values()];
  // Several requests may have got one limit id. If each line names its row, only lines about the same request are compared.
  const byRequest = alike.flatMap((some) =>
    some.every(({ word }) => word.key) ? [...Map.groupBy(some, requestIn).values()] : [some],
  );
  return byRequest.flatMap((some) => {
    const words = new Set(some.map(({ word: { key: _row, ...word } }) => JSON.stringify(word)));
    if (words.size === 1) return some;
    const lines = some.map(({ at }) => at);
    const message = (line: number) =>
      `Line ${lines.find((other) => other !== line)} says something else of ${some[0]?.word.limit} at the same time: neither is taken. Leave one of them out, or give the one that counts a later decided_at.`;
    problems.push(...lines.map((at) => ({ at, message: message(at) })));
    return [];
  });
}

/** Divides decisions into lanes, in their order. All decisions about one limit are in the same lane. */
export function lanesOf(said: readonly Said[]): Said[][] {
  const lanes: Said[][] = Array.from({ length: LANES }, () => []);
  const laneOf = new Map<string, number>();
  for (const one of said) {
    const lane = laneOf.get(one.word.limit) ?? laneOf.size % LANES;
    laneOf.set(one.word.limit, lane);
    lanes[lane]?.push(one);
  }
  return lanes;
}

/**
 * A text for the request that a decision is about: the limit's id and, if the line names a row, the row's key. Several requests may share
 * an id.
 */
export function requestIn({ word: { limit, key = '' } }: Said): string {
  return `${limit} ${key}`;
}

/** The most decisions about a request that are taken before its rows are updated. A row's history has room for 50 entries. */
const MOST_BEFORE_ROWS_FOLLOW = 40;

/** The decisions after which the rows of their request are updated: each request's last one and, if there are very many, some before it. */
export function whichFollow(said: readonly Said[]): Set<Said> {
  const all = [...Map.groupBy(said, requestIn).values()];
  return new Set(
    all.flatMap((some) => some.filter((_one, at) => (some.length - 1 - at) % MOST_BEFORE_ROWS_FOLLOW === 0)),
  );
}

/** Yields the decisions in their order, in pages that contain each limit at most once. */
export function* pagesOfDifferent(said: readonly Said[]): Generator<Said[]> {
  let page: Said[] = [];
  let limits = new Set<string>();
  for (const one of said) {
    if (page.length === AT_ONCE || limits.has(one.word.limit)) {
      yield page;
      [page, limits] = [[], new Set()];
    }
    page.push(one);
    limits.add(one.word.limit);
  }
  if (page.length > 0) yield page;
}
