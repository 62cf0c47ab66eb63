import type { LaterWord } from '../../src/ledger/rows/decisions.ts';

/** A line of the file, and a sentence about it; `portfolio`: the other portfolio that the sentence names. */
export type AboutLine = { at: number; message: string; portfolio?: string | undefined };

/** The decision in a line of the file: what it says of a limit, and the currencies of its amounts. */
export type Said = { at: number; word: LaterWord; currencies?: readonly string[] | undefined };

/** Lines that are looked up and carried out side by side. */
export const AT_ONCE = 500;

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
