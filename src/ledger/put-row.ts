import { createHash } from 'node:crypto';
import type { RedisConnection } from '../lua-script.ts';
import { makeGatedScript } from './archive/gated-script.ts';
import type { Keys } from './keys.ts';
import { askedOf, type PutAnswer, type Replacing, type RowRequest, stepAfter } from './row.ts';
import type { RowId } from './row-id.ts';
import { moveArgs } from './schema.ts';
import { indexWords } from './search/index-words.ts';
import { digestOf } from './verdicts.ts';

/**
 * Brings a line into the ledger; see put-row.lua for what happens to a row that is already there.
 *
 * @param generation how often the portfolio had been cancelled when the import began; '' takes what it is now
 */
type PutRow = (
  row: RowId,
  line: number,
  importId: string,
  request: RowRequest,
  generation?: number | '',
  replacing?: Replacing,
) => Promise<PutAnswer>;

type PutRowOptions = {
  connection: RedisConnection;
  keys: Keys;
  /** Whether rows are put into the indexes by which they are searched. */
  isSearched?: boolean | undefined;
};

export function makePutRow({ connection, keys, isSearched = true }: PutRowOptions): PutRow {
  const put = makeGatedScript(connection, 'put-row');
  return async (
    row,
    line,
    importId,
    request,
    generation = '',
    { seen, key: old, problem, takes, approval = '', statements = '' } = {},
  ) => {
    const wish = {
      line,
      import: importId,
      request: JSON.stringify(request),
      buyer: request.buyer,
      step: stepAfter(request),
      amount: request.limit.requested_limit,
      asked: digestOf(askedOf(request)),
      gen: generation,
      seen,
      old,
      problem: problem && JSON.stringify(problem),
      takes,
      words: isSearched ? indexWords(request) : '',
      approval,
      statements,
    };
    let known: { known?: string; before?: string } = {};
    for (;;) {
      const answer = (await put([keys.account], moveArgs(row, [{ move: 'put', ...wish, ...known }]))) as string;
      if (!answer.startsWith(OTHER_WORDS)) return answer as PutAnswer;
      const before = answer.slice(OTHER_WORDS.length);
      known = { known: createHash('sha1').update(before).digest('hex'), before: indexWords(JSON.parse(before)) };
    }
  };
}

/** The row has other words than were thought: these. */
const OTHER_WORDS = 'words ';
