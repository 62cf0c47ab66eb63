import type { LaterWord } from '../../src/ledger/rows/decisions.ts';

/** A line of the file, and a sentence about it; `portfolio`: the other portfolio that the sentence names. */
export type AboutLine = { at: number; message: string; portfolio?: string | undefined };

/** The decision in a line of the file: what it says of a limit, and the currencies of its amounts. */
export type Said = { at: number; word: LaterWord; currencies?: readonly string[] | undefined };

/** Lines that are looked up side by side, or carried out in one lane. */
export const AT_ONCE = 200;

/** So many that Redis has work while answers are read. */
const LANES = 3;

/** The decisions without those of one limit and one moment that differ: nobody can say which of them counts. */
export function withoutContradictions(said: readonly Said[], problems: AboutLine[]): Said[] {
  const alike = Map.groupBy(said, ({ word }) => `${word.limit} ${word.at}`);
  return [...alike.values()].flatMap((some) => {
    const words = new Set(some.map(({ word }) => JSON.stringify(word)));
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
