import { createHash } from 'node:crypto';
import { makeLuaScript, type RedisConnection } from '../../lua-script.ts';
import { batcherOf, makeBatcher } from '../calls/batches.ts';
import { contentDigest } from '../calls/claim-answers.ts';
import type { Keys } from '../schema/keys.ts';
import {
  askedOf,
  type PutAnswer,
  type Replacing,
  ROW_STATES,
  type RowProblem,
  type RowRequest,
  stepAfter,
} from '../schema/row.ts';
import type { RowId } from '../schema/schema.ts';
import { indexWords } from '../search/index-words.ts';
import { makeListRows } from '../search/row-lists.ts';

/** The portfolio and the import that bring rows in, and the open approval that the rows wait for, if any. */
type Bringing = { portfolio: string; number: string; generation: number; approval: string | undefined };

/** A row that the ledger does not know yet; `seen` and `statements` are as for `put`. */
export type NewRow = { key: string; line: number; request: RowRequest; seen: number; statements?: string | undefined };

type PutOptions = {
  connection: RedisConnection;
  keys: Keys;
  /** Whether rows are put into the search indexes. */
  isSearched?: boolean | undefined;
};

/** The most rows that one script brings in: some milliseconds of Redis's time. */
const MOST_AT_ONCE = 64;

/** Brings lines into the ledger; lua/put.lua says what happens to existing rows. Lines that come at the same moment share a script. */
export function makePutRows({ connection, keys, isSearched = true }: PutOptions) {
  const run = makeLuaScript(connection, new URL('../lua/put.lua', import.meta.url));
  const runInBatch = makeBatcher((args) => run([keys.account], args) as Promise<unknown[]>, MOST_AT_ONCE);
  const toldOf = (line: number, importId: string, request: RowRequest) => ({
    move: 'put' as const,
    line,
    import: importId,
    request: JSON.stringify(request),
    buyer: request.buyer,
    step: stepAfter(request),
    amount: request.limit.requested_limit,
    words: isSearched ? indexWords(request) : '',
  });

  return {
    /** @param generation how often the portfolio had been cancelled when the import began; '' for the present number */
    async put(
      row: RowId,
      line: number,
      importId: string,
      request: RowRequest,
      generation: number | '' = '',
      { key: old, problem, ...more }: Replacing = {},
    ): Promise<PutAnswer> {
      const replacing = { old, problem: problem && JSON.stringify(problem) };
      const asked = contentDigest(askedOf(request));
      const told = { ...toldOf(line, importId, request), ...replacing, ...more, asked, gen: generation };
      let known: { known?: string; before?: string } = {};
      for (;;) {
        const answer = (await runInBatch(row, { ...told, ...known })) as string;
        if (!answer.startsWith(OTHER_WORDS)) return answer as PutAnswer;
        const before = answer.slice(OTHER_WORDS.length);
        known = { known: createHash('sha1').update(before).digest('hex'), before: indexWords(JSON.parse(before)) };
      }
    },

    /**
     * Brings in new rows. Returns for each whether it did. A row that exists, whose request was sent before, or that needs any other check
     * is left to `put`, unchanged.
     */
    async putNew({ portfolio, number, generation, approval }: Bringing, rows: readonly NewRow[]): Promise<boolean[]> {
      const answers = rows.map(({ key, line, request, seen, statements }) => {
        const of = { gen: generation, seen, isNew: 1, approval, statements };
        return runInBatch({ portfolio, key }, { ...toldOf(line, number, request), ...of });
      });
      return (await Promise.all(answers)).map((answer) => answer === 'added');
    },
  };
}

/** The row's request differs from the expected one; it follows. */
const OTHER_WORDS = 'words ';

/** The rows of a portfolio, by the import that had them last. */
export function makeImportRows({ connection, keys }: { connection: RedisConnection; keys: Keys }) {
  const [listRows, runInBatch] = [makeListRows({ connection, keys }), batcherOf(connection, keys)];
  const indexes = (portfolio: string) => ROW_STATES.map((state) => keys.rowsInState(portfolio, state));

  return {
    /** The rows of one import between two of its lines, both included, in order of lines: some hundreds at a time. */
    async atLines(
      portfolio: string,
      importId: string,
      { from, to }: { from: number; to: number },
    ): Promise<{ row: RowId; line: number }[]> {
      const found = await listRows(portfolio, ROW_STATES, { from, to, count: -1 }, 'import');
      const rows = found.filter(({ field }) => field === importId);
      return rows.map(({ row, line }) => ({ row, line })).sort((a, b) => a.line - b.line);
    },

    /** The highest line of any row of the portfolio; 0 without rows. */
    async lastLine(portfolio: string): Promise<number> {
      const ends = await Promise.all(
        indexes(portfolio).map((index) => connection.zrange(index, '-1', '-1', 'WITHSCORES')),
      );
      return Math.max(0, ...ends.map(([, line]) => Number(line ?? 0)));
    },

    /** For each of these rows, the number of the import that had it last; '' for a row that does not exist. */
    async importsOf(rows: readonly RowId[]): Promise<string[]> {
      const imports = await Promise.all(
        rows.map(({ portfolio, key }) => connection.hget(keys.row(portfolio, key), 'import')),
      );
      return imports.map((found) => found ?? '');
    },

    /**
     * Cancels a row that the file of this import lacks, unless it was sent or belongs to an import that began later. Returns whether it
     * did.
     */
    async leaveOut(
      row: RowId,
      { importId, begun }: { importId: string; begun: string },
      problem: RowProblem,
    ): Promise<boolean> {
      const file = { import: importId, begun, problem: JSON.stringify(problem) };
      return (await runInBatch(row, { move: 'leaveOut', ...file })) === 1;
    },
  };
}
