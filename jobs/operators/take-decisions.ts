import { Big } from 'big.js';
import { commandLineActor } from '../../src/actor.ts';
import { isLimitlineError } from '../../src/errors.ts';
import type { Decided, DecidedAs, LaterWord } from '../../src/ledger/rows/decisions.ts';
import type { DecisionsFile, LimitDecision } from '../../src/portfolio/results/decisions-file.ts';

/** A line of the file, and a sentence about it. */
export type AboutLine = { at: number; message: string };

/** What became of a file's decisions. */
export type DecisionsTaken = {
  /** Lines that are taken, and lines that say what is known. */
  taken: number;
  known: number;
  /** Lines without a status, which change nothing. */
  silent: number;
  /** Rows that say something else now: a limit may have rows in several portfolios. */
  rows: number;
  /** Lines that are taken, by status. */
  statuses: Record<string, number>;
  /** Lines that are not taken, and what to think of in lines that are. */
  problems: AboutLine[];
  warnings: AboutLine[];
};

export type DecisionDeps = { decisions: Decided };

/** Lines that are looked up and carried out side by side. */
const AT_ONCE = 500;

/**
 * Puts the decisions of a file in the place of what the service said before, the earliest first. Each is checked and written in one step, so
 * that a file may be taken twice, and two files at once.
 *
 * @param file.name the file's name, for the rows' histories
 * @param options.now when decisions were made that do not say it
 * @param options.dryRun whether only to answer what would become of them; the file's lines are then not compared by their times
 */
export async function takeDecisions(
  { decisions, silent, problems, name }: DecisionsFile & { name: string },
  deps: DecisionDeps,
  { by = commandLineActor(), now = new Date(), dryRun = false }: { by?: string; now?: Date; dryRun?: boolean } = {},
): Promise<DecisionsTaken> {
  const taken: DecisionsTaken = {
    taken: 0,
    known: 0,
    silent,
    rows: 0,
    statuses: {},
    problems: [...problems],
    warnings: [],
  };
  const said: Said[] = [];
  for (const page of pagesIn(decisions)) {
    const found = await Promise.all(page.map((decision) => limitOf(decision, now, deps)));
    for (const [place, one] of found.entries()) {
      if (typeof one !== 'string') said.push(one);
      else taken.problems.push({ at: page[place]?.at ?? 0, message: one });
    }
  }
  const agreed = withoutContradictions(said, taken.problems).sort((one, other) =>
    one.word.at < other.word.at ? -1 : 1,
  );
  // The lines of one limit come one behind the other; those of a page go together, and so has none of them the same limit twice.
  for (const page of pagesOfDifferent(agreed)) {
    await Promise.all(page.map((one) => takeOne(one, { by, file: name }, { deps, taken, dryRun })));
  }
  taken.problems.sort(byLine);
  taken.warnings.sort(byLine);
  return taken;
}

/** A line's decision, about a limit. */
type Said = { at: number; word: LaterWord };

async function limitOf(decision: LimitDecision, now: Date, { decisions }: DecisionDeps): Promise<Said | string> {
  const { at, id, row, status, total, available, decided = now.toISOString() } = decision;
  const ofRow = row === '' ? undefined : await decisions.limitOf(row);
  if (row !== '' && ofRow === undefined)
    return `No row ${row} of this account has a limit. If it is archived, give its buyer_limit_id.`;
  if (id !== '' && ofRow !== undefined && ofRow !== id) return `The limit of row ${row} is ${ofRow}, and not ${id}.`;
  return { at, word: { limit: id === '' ? (ofRow ?? '') : id, status, total, available, at: decided } };
}

/** The decisions without those of one limit and one moment that differ: nobody can say which of them counts. */
function withoutContradictions(said: readonly Said[], problems: AboutLine[]): Said[] {
  const alike = Map.groupBy(said, ({ word }) => `${word.limit} ${word.at}`);
  return [...alike.values()].flatMap((some) => {
    const words = new Set(some.map(({ word }) => JSON.stringify(word)));
    if (words.size === 1) return some;
    const lines = some.map(({ at }) => at);
    const message = (line: number) =>
      `Line ${lines.find((other) => other !== line)} says something else of ${some[0]?.word.limit} at the same time: neither is taken.`;
    problems.push(...lines.map((at) => ({ at, message: message(at) })));
    return [];
  });
}

type Taking = { deps: DecisionDeps; taken: DecisionsTaken; dryRun: boolean };

async function takeOne({ at, word }: Said, told: { by: string; file: string }, { deps, taken, dryRun }: Taking) {
  const found = await deps.decisions.rowsOf(word.limit);
  if (!found) {
    taken.problems.push({ at, message: `No call of this account made the limit ${word.limit}.` });
    return;
  }
  const became: DecidedAs[] = [];
  try {
    for (const row of found.rows) became.push(await deps.decisions.decide(row, word, told, !dryRun));
  } catch (error) {
    // Of an archived or forgotten portfolio; the sentence says what to do.
    if (!isLimitlineError(error, 'USAGE')) throw error;
    taken.problems.push({ at, message: error.message });
  }
  const of = (as: DecidedAs) => became.filter((one) => one === as).length;
  const fault = (Object.keys(FAULTS) as (keyof typeof FAULTS)[]).find((as) => of(as) > 0);
  if (of('taken') > 0) {
    taken.taken += 1;
    taken.rows += of('taken');
    taken.statuses[word.status] = (taken.statuses[word.status] ?? 0) + 1;
    const message = aboveRequest(word, found.requested);
    if (message !== undefined) taken.warnings.push({ at, message });
  } else if (of('same') > 0) taken.known += 1;
  else if (fault) taken.problems.push({ at, message: FAULTS[fault](word) });
}

const FAULTS = {
  older: ({ limit }: LaterWord) => `A later decision about ${limit} is known: an older one changes nothing.`,
  contradicts: ({ limit, at }: LaterWord) =>
    `Another decision about ${limit} of the same time, ${at}, is known: neither is put above the other.`,
  'not made': ({ limit }: LaterWord) => `The row of ${limit} is not done yet: take the file again once it is.`,
} as const;

function aboveRequest({ limit, total }: LaterWord, requested: string): string | undefined {
  if (total === '' || !/^\d+(\.\d+)?$/.test(requested) || new Big(total).lte(requested)) return undefined;
  return `The limit ${limit} is ${total}, more than the ${requested} that was asked for.`;
}

function* pagesIn<T>(all: readonly T[]): Generator<T[]> {
  for (let from = 0; from < all.length; from += AT_ONCE) yield all.slice(from, from + AT_ONCE);
}

/** The decisions in their order, in pages in each of which a limit occurs once. */
function* pagesOfDifferent(said: readonly Said[]): Generator<Said[]> {
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

function byLine(one: AboutLine, other: AboutLine): number {
  return one.at - other.at;
}
