import type { Decided, LaterWord } from '../../src/ledger/rows/decisions.ts';
import { rowIdOf, STATES } from '../../src/ledger/schema/schema.ts';
import type { LimitDecision } from '../../src/portfolio/results/decisions-file.ts';

/** A line of the file, and a sentence about it; `portfolio`: the other portfolio that the sentence names. */
export type AboutLine = { at: number; message: string; portfolio?: string | undefined };

/** The decision in a line of the file: what it says of a limit, and the currencies of its amounts. */
export type Said = { at: number; word: LaterWord; currencies?: readonly string[] | undefined };

/** Lines that are looked up side by side, or carried out in one lane. */
export const AT_ONCE = 200;

/** Lanes beside each other: Redis works for one while the answers to another are read. */
const LANES = 3;

/** The decision in a line and the limit that it is about, or a sentence where its row or limit is not known. `now`: when it counts if it has no time. */
export async function saidOf(
  decision: LimitDecision,
  now: Date,
  decisions: Pick<Decided, 'limitOf'>,
): Promise<Said | string> {
  const { at, id, row, status, total, available, currencies, decided } = decision;
  const ofRow = row === '' ? undefined : await decisions.limitOf(row);
  const made = ofRow?.limit;
  if (id === '' && made === undefined) {
    return ofRow === undefined
      ? `This account has no row ${row}. If it is archived, give its buyer_limit_id.`
      : `Row ${row} has no limit: ${STATES[ofRow.state].says}.`;
  }
  if (id !== '' && made !== undefined && made !== id) return `The limit of row ${row} is ${made}, and not ${id}.`;
  const limit = id === '' ? (made ?? '') : id;
  const times = { at: decided ?? now.toISOString(), isDated: decided !== undefined };
  const key = made === undefined ? undefined : rowIdOf(row)?.key;
  return { at, word: { limit, key, status, total, available, ...times }, currencies };
}

/** The decisions without those of one limit and one moment that differ: nobody can say which of them counts. */
export function withoutContradictions(said: readonly Said[], problems: AboutLine[]): Said[] {
  const alike = [...Map.groupBy(said, ({ word }) => `${word.limit} ${word.at}`).values()];
  // Of requests that were answered with one id, each line names the row of its own.
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

/** The decisions in lanes, each in their order; all decisions of a limit are in one. */
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

/** Which request a decision is about: one that is named by its row is told from others of the same limit. */
export function requestIn({ word: { limit, key = '' } }: Said): string {
  return `${limit} ${key}`;
}

/** Decisions of a limit behind which its rows follow at the latest: a row's history has place for 50. */
const MOST_BEFORE_ROWS_FOLLOW = 40;

/** The decisions behind which the rows of their request follow: the last one of each, and some before it where there are very many. */
export function whichFollow(said: readonly Said[]): Set<Said> {
  const all = [...Map.groupBy(said, requestIn).values()];
  return new Set(
    all.flatMap((some) => some.filter((_one, at) => (some.length - 1 - at) % MOST_BEFORE_ROWS_FOLLOW === 0)),
  );
}

/** The decisions in their order, in pages in each of which a limit occurs once. */
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
