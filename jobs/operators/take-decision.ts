import { counted, grouped } from '../../src/counted.ts';
import { isLimitlineError } from '../../src/errors.ts';
import { amountText, shareOf } from '../../src/ledger/counts/amounts.ts';
import type { MeaningStore } from '../../src/ledger/counts/meaning-store.ts';
import { outcomeOfAnswer, ROW_OUTCOMES, SHARES } from '../../src/ledger/counts/row-outcome.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import type { Decided, DecidedAs, DecidedLimit, DecidedRow, LaterWord } from '../../src/ledger/rows/decisions.ts';
import { type RowId, rowIdOf, rowName } from '../../src/ledger/schema/schema.ts';
import type { Notice, Outbox } from '../../src/notices/notice.ts';
import { countedStatus, type Meanings } from '../../src/status-meaning.ts';
import { doubtsOf } from './decision-doubts.ts';

/**
 * The result of one decision. `rows`: rows that it changed. `left`: why other rows were not changed yet. `doubts`: warnings for people.
 * `knownAt`: the time of the decision that was known before or, if that is of an earlier day than this one, of the request.
 */
export type DecisionTaken = {
  became: DecidedAs | 'unknown' | 'ambiguous';
  rows: RowId[];
  left: LeftRow[];
  doubts: string[];
  knownAt?: string;
  limit?: DecidedLimit;
};

/** A row that a decision did not change yet, and why. */
type LeftRow = { row: RowId; message: string };

/** The person who brought a decision, and the file with it. */
type Told = { deps: { decisions: Decided; portfolios: Pick<Portfolios, 'names'> }; by: string; file: string };

type HowTaken = { at?: string; dryRun: boolean; again?: boolean; isLast?: boolean };

/**
 * Takes one decision about a limit, and updates the limit's rows. `unknown`: no call of this account made the limit. `ambiguous`: several
 * requests were answered with its id, and no row is named.
 *
 * @param given.at when the file was taken, which tells files of one name apart; an event has an id instead
 * @param given.dryRun whether only to answer what would become of it
 * @param given.isLast whether the rows are updated: false if a later decision about the limit is taken next
 */
export async function takeDecision(
  word: LaterWord,
  { deps, dryRun, again, isLast = true, ...told }: Told & HowTaken,
): Promise<DecisionTaken> {
  const limit = await deps.decisions.find(word.limit, word.key);
  if (!limit) return { became: 'unknown', rows: [], left: [], doubts: [] };
  if (word.key === undefined && limit.shared !== '')
    return { became: 'ambiguous', rows: [], left: [], doubts: [], limit };
  // The row says that it has this limit, but its call did not make it: the limit belongs to another request.
  if (word.key !== undefined && word.key !== limit.key)
    return { became: 'not made', rows: [], left: [], doubts: [], limit };
  const said = await deps.decisions.decide(limit, word, told, !dryRun);
  const { by, file, at } = limit.decided ?? {};
  const isOwn = again && said === 'same' && by === told.by && file === told.file && at === told.at;
  const became = isOwn ? 'taken' : said;
  // Rows are updated even if the decision was taken before: that command may have been killed before it updated them.
  const after = isLast ? await letFollow(limit, word, { deps, ...told }, { dryRun, isOwn }) : { rows: [], left: [] };
  const knownAt =
    limit.decidedAt.slice(0, 10) >= word.at.slice(0, 10) ? limit.decidedAt : new Date(limit.askedMs).toISOString();
  return { became, ...after, doubts: doubtsOf(word, limit, told.file), knownAt, limit };
}

/**
 * Updates the rows of a limit by a decision that was taken without updating them, because a later line about the limit was to update them
 * but was not taken.
 */
export async function followTaken(word: LaterWord, told: Told): Promise<{ rows: RowId[]; left: LeftRow[] }> {
  const limit = await told.deps.decisions.find(word.limit, word.key);
  return limit ? letFollow(limit, word, told, {}) : { rows: [], left: [] };
}

/** Updates all rows of a limit's request by the record of its call. Returns the rows that agree with it now, and why others do not. */
async function letFollow(
  limit: DecidedLimit,
  word: LaterWord,
  { deps, by, file }: Told,
  { dryRun = false, isOwn = false },
): Promise<{ rows: RowId[]; left: LeftRow[] }> {
  const left: LeftRow[] = [];
  const rows: RowId[] = [];
  for (const row of await deps.decisions.rowsOf(limit, () => deps.portfolios.names())) {
    const answer = await followed(row, word.limit, dryRun ? undefined : { by, file }, deps);
    // A row that already agrees may have been updated by an earlier run with the same file, which was killed. So the row counts as changed.
    if (answer === 'follows' || (answer === 'same' && isOwn && !dryRun)) rows.push(row);
    else if (answer === 'not made') {
      // A cancelled row never gets the decision, so nobody is told to take the file again.
      if ((await deps.decisions.limitOf(rowName(row)))?.state !== 'cancelled')
        left.push({ row, message: `The row in ${row.portfolio} is not done yet: take the file again once it is.` });
    } else if (answer !== 'same') left.push({ row, message: `${answer} The row follows by itself then.` });
  }
  return { rows, left };
}

async function followed(
  row: RowId,
  limit: string,
  told: { by: string; file: string } | undefined,
  { decisions }: Told['deps'],
) {
  try {
    return await decisions.follow(row, limit, told);
  } catch (error) {
    if (isLimitlineError(error, 'USAGE')) return error.message;
    throw error;
  }
}

/** The words of a notice for each kind of decision. */
const DECIDED = {
  approved: 'approved',
  declined: 'declined',
  under_review: 'under review',
  answered: ROW_OUTCOMES.answered,
} as const;

type Verdict = keyof typeof DECIDED;

export type TellDeps = {
  decisions: Pick<Decided, 'untold' | 'toldTo' | 'noteTold'>;
  statusMeanings: Pick<MeaningStore, 'read'>;
  /** The outbox for notices; without it nobody is notified. */
  outbox?: Outbox | undefined;
};

/**
 * Sends a notice for each portfolio with rows that a decision changed. One step sends it and stores the number of the last row told, so
 * each row is told once, even if several processes do this or one is killed. Returns the number of notices.
 *
 * @param given.beforeMs tells only if the last row changed before this time, in ms: the process that changed it then died without telling
 */
export async function tellDecided(
  { decisions, statusMeanings, outbox }: TellDeps,
  { beforeMs = Number.POSITIVE_INFINITY }: { beforeMs?: number } = {},
): Promise<number> {
  const rows = outbox ? await decisions.untold() : [];
  if (!outbox || (rows.at(-1)?.atMs ?? beforeMs) >= beforeMs) return 0;
  const meanings = await statusMeanings.read();
  let arose = 0;
  for (const [portfolio, some] of Map.groupBy(rows, ({ row }) => rowIdOf(row)?.portfolio ?? '')) {
    const subject = `portfolio ${portfolio} decided`;
    const { was, number: last } = await decisions.toldTo(subject);
    const news = some.filter(({ number }) => number > last);
    const state = `up to ${news.at(-1)?.number}`;
    const notice = decidedNotice(portfolio, verdictsOf(news, meanings), Date.now());
    if (news.length > 0) arose += await outbox.report([{ subject, was, state, notice }]);
    await decisions.noteTold(subject, some);
  }
  return arose;
}

/**
 * Makes a function that does {@link tellDecided} at once, and then again only after so long: decisions that come one by one are told of
 * together. With `isLast` it does not wait.
 */
export function makeSeldomTold(deps: TellDeps, everyMs: number) {
  let toldMs = Number.NEGATIVE_INFINITY;
  let isUntold = false;
  return async ({ isNews = false, isLast = false }): Promise<void> => {
    isUntold ||= isNews;
    const nowMs = performance.now();
    if (!isUntold || (!isLast && nowMs - toldMs < everyMs)) return;
    if ((await tellDecided(deps)) > 0) toldMs = nowMs;
    isUntold = false;
  };
}

/** The last decision about each row. */
function verdictsOf(news: readonly DecidedRow[], meanings: Meanings): Iterable<Verdict> {
  const verdicts = news.map(({ row, status, total }): [string, Verdict] => {
    // A notice does not tell whether a request was granted in whole or in part.
    const share = SHARES[shareOf(amountText(total ?? undefined), '0')] ?? 'unknown';
    const outcome = outcomeOfAnswer({ status: countedStatus(status), share }, meanings);
    return [row, outcome === 'partly_approved' ? 'approved' : outcome];
  });
  return new Map(verdicts).values();
}

/** A notice that decisions of the service came in for rows of a portfolio; `verdicts` has what was decided of each row. */
function decidedNotice(portfolio: string, verdicts: Iterable<Verdict>, atMs: number): Notice {
  const rows: Record<Verdict, number> = { approved: 0, declined: 0, under_review: 0, answered: 0 };
  for (const one of verdicts) rows[one] += 1;
  const said = (Object.keys(DECIDED) as Verdict[]).filter((one) => rows[one] > 0);
  const total = said.reduce((sum, one) => sum + rows[one], 0);
  const words = said.map((one) => `${grouped(rows[one])} ${DECIDED[one]}`).join(', ');
  return {
    kind: 'decided',
    title: `The service decided about ${counted(total, 'row')} of portfolio ${portfolio}: ${words}`,
    facts: said.map((one) => ({ term: `Rows ${DECIDED[one]}`, what: grouped(rows[one]) })),
    path: `/portfolios/${encodeURIComponent(portfolio)}`,
    atMs,
  };
}
