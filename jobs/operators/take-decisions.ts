import { commandLineActor } from '../../src/actor.ts';
import type { MeaningStore } from '../../src/ledger/counts/meaning-store.ts';
import type { AboutLine, DecisionsTaken } from '../../src/ledger/plans/decisions-taken.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import type { Decided, LaterWord } from '../../src/ledger/rows/decisions.ts';
import type { Archives } from '../../src/ledger/schema/archives.ts';
import { rowIdOf, rowName } from '../../src/ledger/schema/schema.ts';
import type { DecisionsFile } from '../../src/portfolio/results/decisions-file.ts';
import { type Meanings, statusMeaningOf } from '../../src/status-meaning.ts';
import { DECISION_FAULTS, loweredWords, undatedWarnings } from './decision-doubts.ts';
import {
  AT_ONCE,
  lanesOf,
  pagesOfDifferent,
  requestIn,
  type Said,
  saidOf,
  whichFollow,
  withoutContradictions,
} from './decision-lines.ts';
import { makeForeignAmount } from './foreign-amount.ts';
import { makeForeseenChanges } from './foreseen-changes.ts';
import { allTheSameWords, makeMistypedQuestion, makeSpelling, seenStatuses } from './mistyped-status.ts';
import { type DecisionTaken, followTaken, type TellDeps, takeDecision, tellDecided } from './take-decision.ts';

export type DecisionDeps = TellDeps & {
  decisions: Decided;
  statusMeanings: Pick<MeaningStore, 'read' | 'known'>;
  portfolios: Pick<Portfolios, 'names' | 'allImports'>;
  archives: Pick<Archives, 'read'>;
};

/**
 * `now`: the time of decisions without one. `only`: the portfolio whose decisions are taken; by default those of all. `dryRun`: only tells
 * what would become of them. `again`: a process that had begun this file was killed, so what it took counts as taken. `isUnattended`:
 * nobody reads warnings at once, so a status that may be mistyped is not taken.
 */
type How = Partial<Pick<Taking, 'by' | 'dryRun' | 'again' | 'isUnattended'>> & {
  now?: Date;
  only?: string;
  signal?: AbortSignal;
};

type FileRead = Pick<DecisionsFile, 'decisions' | 'silent' | 'undated' | 'problems' | 'warnings'> & { name: string };

/**
 * Takes the decisions of a file, the earliest first: each replaces what the service said before, and then the limit's rows are updated.
 * Taking the file again updates rows that could not be updated before. Sends a notice for each portfolio with changed rows.
 *
 * @param file.name the file's name, for the rows' histories
 * @throws LimitlineError `STOPPED` or the signal's reason, between two lines: taken again with the same `now`, the file goes on
 */
export async function takeDecisions(
  { decisions, silent, undated = [], problems, warnings = [], name }: FileRead,
  deps: DecisionDeps,
  {
    by = commandLineActor(),
    now = new Date(),
    only,
    dryRun = false,
    again = false,
    isUnattended = false,
    signal,
  }: How = {},
): Promise<DecisionsTaken> {
  const counts = { taken: 0, known: 0, statuses: new Map<string, number>() };
  const meanings = await deps.statusMeanings.read();
  const seen = await seenStatuses(deps, await deps.portfolios.names());
  const spelled = makeSpelling(seen);
  const taking: Taking = {
    deps,
    by,
    file: name,
    at: now.toISOString(),
    only,
    dryRun,
    again,
    isUnattended,
    counts,
    problems: [...problems],
    warnings: [...warnings, ...(await undatedWarnings(undated, deps.decisions, signal))],
    meanings,
    changes: makeForeseenChanges({ meanings }),
    foreign: makeForeignAmount(deps),
    mistyped: makeMistypedQuestion(seen, isUnattended ? decisions : []),
    changed: new Set(),
    left: new Set(),
    doubted: new Map(),
    foreseen: new Map(),
    older: [],
    ended: new Map(),
  };
  const said: Said[] = [];
  for (let from = 0; from < decisions.length; from += AT_ONCE) {
    signal?.throwIfAborted();
    const page = decisions.slice(from, from + AT_ONCE);
    const found = await Promise.all(
      page.map((one) => saidOf({ ...one, status: spelled(one.status) }, now, deps.decisions)),
    );
    for (const [place, one] of found.entries()) {
      if (typeof one !== 'string') said.push(one);
      else taking.problems.push({ at: page[place]?.at ?? 0, message: one });
    }
  }
  const agreed = withoutContradictions(said, taking.problems);
  agreed.sort((one, other) => (one.word.at < other.word.at ? -1 : one.word.at > other.word.at ? 1 : one.at - other.at));
  const taken = await Promise.allSettled(lanesOf(agreed).map((lane) => takeLane(lane, taking, signal)));
  for (const lane of taken) if (lane.status === 'rejected') throw lane.reason;
  for (const { at, word, knownAt, key } of taking.older) {
    // A file may have several decisions about one request. If its last one is known or taken, the earlier ones are no problem.
    if (['taken', 'same'].includes(taking.ended.get(key) ?? '')) counts.known += 1;
    else taking.problems.push({ at, message: DECISION_FAULTS.older(word, { knownAt }) });
  }
  if (!dryRun) await tellDecided(deps);
  taking.warnings.push(...taking.doubted.values());
  const byLine = (some: AboutLine[]) => some.sort((one, other) => one.at - other.at);
  const unexplained = [...counts.statuses.keys()].filter((one) => statusMeaningOf(one, taking.meanings) === undefined);
  return {
    ...counts,
    rows: taking.changed.size,
    left: taking.left.size,
    ...(dryRun ? {} : { portfolios: portfoliosOf(taking.changed) }),
    statuses: Object.fromEntries(counts.statuses),
    unexplained,
    silent,
    problems: byLine(taking.problems),
    warnings: byLine(taking.warnings),
    [dryRun ? 'would' : 'did']: await taking.changes.read(deps),
  };
}

/** The portfolios of these rows, by name. */
const portfoliosOf = (rows: ReadonlySet<string>): string[] =>
  [...new Set([...rows].flatMap((row) => rowIdOf(row)?.portfolio ?? []))].sort();

type Taking = {
  deps: DecisionDeps;
  by: string;
  file: string;
  /** When the file was taken, which tells files of one name apart; an event has an id instead. */
  at?: string;
  only: string | undefined;
  dryRun: boolean;
  again: boolean;
  isUnattended: boolean;
  counts: { taken: number; known: number; statuses: Map<string, number> };
  problems: AboutLine[];
  warnings: AboutLine[];
  meanings: Meanings;
  /** Returns a question about a status that may be mistyped, or ''. */
  mistyped: ReturnType<typeof makeMistypedQuestion>;
  /** The names of rows that the decisions changed. */
  changed: Set<string>;
  /** The names of rows that the decisions did not change yet. Several lines of a file may be about one of them. */
  left: Set<string>;
  /** The first line of each status that may be mistyped. */
  doubted: Map<string, AboutLine>;
  /** The changes that the decisions make, or would make. */
  changes: ReturnType<typeof makeForeseenChanges>;
  foreign: ReturnType<typeof makeForeignAmount>;
  /** In a dry run, the last decision of the lines so far about each request's limit, by the request's key. */
  foreseen: Map<string, string>;
  /** Lines whose decision is older than the known one, with the key of their request. */
  older: (Said & { knownAt: string | undefined; key: string })[];
  /** What became of the last line about each request, by the request's key and by {@link requestIn}: requests may share a limit's id. */
  ended: Map<string, DecisionTaken['became']>;
};

type Followed = Pick<DecisionTaken, 'rows' | 'left'>;

async function takeLane(lane: readonly Said[], taking: Taking, signal: AbortSignal | undefined): Promise<void> {
  const follows = whichFollow(lane);
  const waits = new Map<string, Said>();
  const take = async (one: Said) => {
    const isLast = follows.has(one);
    waits.set(requestIn(one), one);
    await takeOne(one, taking, isLast);
    if (isLast) waits.delete(requestIn(one));
  };
  try {
    for (const page of pagesOfDifferent(lane)) {
      signal?.throwIfAborted();
      await Promise.all(page.map(take));
    }
  } finally {
    // If the file ends early, rows are still updated by the decisions that were taken.
    await Promise.allSettled([...waits.values()].map((one) => followOne(one, taking)));
  }
}

/** @param isLast whether this is the file's last line about the limit: then its rows are updated */
async function takeOne(one: Said, taking: Taking, isLast: boolean): Promise<void> {
  const problem = await whyNotTaken(one, taking);
  if (!problem) return takeWord(one, taking, isLast);
  taking.problems.push({ at: one.at, ...problem });
  if (isLast && taking.ended.has(requestIn(one))) await followOne(one, taking);
}

/** Updates the rows of this line's limit by the decision that an earlier line made. */
async function followOne({ at, word }: Said, taking: Taking): Promise<void> {
  if (taking.dryRun) return;
  const { rows, left } = await followTaken(word, taking);
  noteFollowed(rows, left, { at, taking });
}

/** Why a line is not taken: another portfolio's limit, another currency, or a status that looks mistyped; `undefined` if it is taken. */
async function whyNotTaken({ word, currencies }: Said, taking: Taking): Promise<Omit<AboutLine, 'at'> | undefined> {
  const { deps, only } = taking;
  const elsewhere = only === undefined ? undefined : await elsewhereOf(word, only, deps);
  if (elsewhere) {
    const { portfolio } = elsewhere;
    const other = portfolio === undefined ? '' : `, but of portfolio ${portfolio}${await thereWords(portfolio, deps)}`;
    return { message: `The limit ${word.limit} is of no row of portfolio ${only}${other}.`, portfolio };
  }
  const foreign = await taking.foreign(word, currencies);
  if (foreign) return { message: foreign };
  const mistyped = taking.isUnattended ? taking.mistyped(word.status) : '';
  if (mistyped === '') return undefined;
  // A decision that would change nothing needs no question.
  const { became } = await takeDecision(word, { ...taking, dryRun: true, again: false });
  return became === 'taken' ? { message: `${mistyped} ${allTheSameWords(word.status)}` } : undefined;
}

/** How the decision of a limit of this other portfolio comes in: pages of archived and forgotten portfolios take no uploads. */
async function thereWords(portfolio: string, { archives }: Pick<DecisionDeps, 'archives'>): Promise<string> {
  const archived = await archives.read(portfolio);
  if (!archived) return ': upload its decision there';
  const is = ['forgetting', 'forgotten'].includes(archived.is) ? 'forgotten' : 'archived';
  return `, which is ${is}: npx limitline decisions takes its decision in`;
}

function noteFollowed(rows: Followed['rows'], left: Followed['left'], { at, taking }: { at: number; taking: Taking }) {
  for (const row of rows) taking.changed.add(rowName(row));
  for (const { row, message } of left) {
    taking.left.add(rowName(row));
    taking.warnings.push({ at, message });
  }
}

async function takeWord(said: Said, taking: Taking, isLast: boolean): Promise<void> {
  const { at, word } = said;
  const { dryRun, counts, problems, warnings } = taking;
  const mistyped = taking.mistyped(word.status);
  const { became: known, rows, left, doubts, knownAt, limit } = await takeDecision(word, { ...taking, isLast });
  const { key = '' } = limit ?? {};
  const became = dryRun ? asForeseen(known, word, { ...taking, key }) : known;
  if (became === 'taken') {
    counts.taken += 1;
    const before = taking.changes.lastOf(key) ?? limit?.record ?? {};
    doubts.push(...loweredWords(word, before, taking.meanings));
    if (limit) taking.changes.add(at, word, limit);
    if (mistyped !== '' && (taking.doubted.get(word.status)?.at ?? at) >= at) {
      const message = `${mistyped} To correct it later, send the line again with a later decided_at, the day of today, or none.`;
      taking.doubted.set(word.status, { at, message });
    }
    counts.statuses.set(word.status, (counts.statuses.get(word.status) ?? 0) + 1);
    warnings.push(...doubts.map((message) => ({ at, message })));
  } else if (became === 'same') counts.known += 1;
  else if (became === 'older') taking.older.push({ at, word, knownAt, key });
  else problems.push({ at, message: DECISION_FAULTS[became](word, limit ?? UNKNOWN_LIMIT) });
  for (const request of [key, requestIn(said)]) taking.ended.set(request, became);
  noteFollowed(rows, left, { at, taking });
}

const UNKNOWN_LIMIT = { record: {}, decided: undefined, maker: undefined, shared: '' };

/** For a limit of which this portfolio has no row: the portfolio that requested it, if it is known. Undefined for any other limit. */
async function elsewhereOf(
  { limit: id, key }: LaterWord,
  portfolio: string,
  { decisions }: DecisionDeps,
): Promise<{ portfolio: string | undefined } | undefined> {
  const limit = await decisions.find(id, key);
  if (limit === undefined || (key === undefined && limit.shared !== '')) return undefined;
  const own = await decisions.limitOf(rowName({ portfolio, key: limit.key }));
  return own?.limit === id ? undefined : { portfolio: limit.maker?.portfolio };
}

/** The result of a decision in a dry run, as if the file's earlier lines about the same limit had been taken. */
function asForeseen(
  known: DecisionTaken['became'],
  word: LaterWord,
  { foreseen, key }: Pick<Taking, 'foreseen'> & { key: string },
): DecisionTaken['became'] {
  const { status, total, available } = word;
  const before = foreseen.get(key);
  if (known !== 'taken' && (known !== 'same' || before === undefined)) return known;
  const said = JSON.stringify([status, total, available]);
  foreseen.set(key, said);
  return before === said ? 'same' : 'taken';
}
