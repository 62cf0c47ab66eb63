import { isLimitlineError } from '../../src/errors.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import type { Decided, DecidedAs, DecidedLimit, LaterWord } from '../../src/ledger/rows/decisions.ts';
import { type RowId, rowName } from '../../src/ledger/schema/schema.ts';
import { doubtsOf } from './decision-doubts.ts';

/**
 * What became of one decision: which rows say something else now, why others do not yet, and what to think of. `knownAt`: the time of what was
 * known, where that is later.
 */
export type DecisionTaken = {
  became: DecidedAs | 'unknown' | 'ambiguous';
  rows: RowId[];
  left: string[];
  doubts: string[];
  knownAt?: string;
  limit?: DecidedLimit;
};

/** Who brought a decision, and with which file. */
type Told = { deps: { decisions: Decided; portfolios: Pick<Portfolios, 'names'> }; by: string; file: string };

type HowTaken = { at?: string; dryRun: boolean; again?: boolean; isLast?: boolean };

/**
 * Takes one decision about a limit, and lets its rows follow. `unknown`: no call of this account made the limit. `ambiguous`: several requests
 * were answered with its id, and no row is named.
 *
 * @param given.at when the file was taken, by which files of one name are told apart; an event has an id instead
 * @param given.dryRun whether only to answer what would become of it
 * @param given.isLast whether rows follow: not yet where a later decision about the limit is taken next
 */
export async function takeDecision(
  word: LaterWord,
  { deps, dryRun, again, isLast = true, ...told }: Told & HowTaken,
): Promise<DecisionTaken> {
  const limit = await deps.decisions.find(word.limit, word.key);
  if (!limit) return { became: 'unknown', rows: [], left: [], doubts: [] };
  if (word.key === undefined && limit.shared !== '')
    return { became: 'ambiguous', rows: [], left: [], doubts: [], limit };
  // The row says that it has this limit, but no call of its own says so: the limit that was found is another request's.
  if (word.key !== undefined && word.key !== limit.key)
    return { became: 'not made', rows: [], left: [], doubts: [], limit };
  const said = await deps.decisions.decide(limit, word, told, !dryRun);
  const { by, file, at } = limit.decided ?? {};
  const isOwn = again && said === 'same' && by === told.by && file === told.file && at === told.at;
  const became = isOwn ? 'taken' : said;
  // Rows follow whatever became of the decision: an earlier command may have been stopped before they did.
  const after = isLast ? await letFollow(limit, word, { deps, ...told }, { dryRun, isOwn }) : { rows: [], left: [] };
  const knownAt =
    limit.decidedAt.slice(0, 10) >= word.at.slice(0, 10) ? limit.decidedAt : new Date(limit.askedMs).toISOString();
  return { became, ...after, doubts: doubtsOf(word, limit, told.file), knownAt, limit };
}

/** Lets the rows of a limit follow where an earlier decision was taken, and the last one of the file is not. */
export async function followTaken(word: LaterWord, told: Told): Promise<{ rows: RowId[]; left: string[] }> {
  const limit = await told.deps.decisions.find(word.limit, word.key);
  return limit ? letFollow(limit, word, told, {}) : { rows: [], left: [] };
}

/** Lets all rows of a limit's request say what its call says. Answers which do from now on, and why others do not. */
async function letFollow(
  limit: DecidedLimit,
  word: LaterWord,
  { deps, by, file }: Told,
  { dryRun = false, isOwn = false },
): Promise<{ rows: RowId[]; left: string[] }> {
  const left: string[] = [];
  const rows: RowId[] = [];
  for (const row of await deps.decisions.rowsOf(limit, () => deps.portfolios.names())) {
    const answer = await followed(row, word.limit, dryRun ? undefined : { by, file }, deps);
    // A process that was killed may have let it follow before.
    if (answer === 'follows' || (answer === 'same' && isOwn && !dryRun)) rows.push(row);
    else if (answer === 'not made') {
      // A row that was given up never gets the decision, so nobody is told to take the file again for it.
      if ((await deps.decisions.limitOf(rowName(row)))?.state !== 'cancelled')
        left.push(`The row in ${row.portfolio} is not done yet: take the file again once it is.`);
    } else if (answer !== 'same') left.push(`${answer} The row follows by itself then.`);
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
