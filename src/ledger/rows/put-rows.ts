import { createHash } from 'node:crypto';
import { makeLuaScript, type RedisConnection } from '../../lua-script.ts';
import { batcherOf, makeBatcher } from '../calls/batches.ts';
import { contentDigest } from '../calls/claim-answers.ts';
import type { Keys, LedgerPlace } from '../schema/keys.ts';
import { answersOf } from '../schema/redis-reads.ts';
import type { PutAnswer, Replacing, RowProblem, RowRequest, RowResult, RowState } from '../schema/row.ts';
import { askedOf, ROW_STATES, stepAfter } from '../schema/row.ts';
import type { RowId } from '../schema/schema.ts';
import { indexWords } from '../search/index-words.ts';
import { makeListRows, RESULT_FIELDS, toResult } from '../search/row-pages.ts';

/** The import that brings rows in, and the open approval that they wait for, if any. */
type Bringing = { portfolio: string; number: string; generation: number; approval: string | undefined };

/** A row believed new; `seen` and `statements` are as in {@link Replacing}. */
export type NewRow = { key: string; line: number; request: RowRequest; seen: number; statements?: string | undefined };

type PutOptions = {
  connection: RedisConnection;
  keys: Keys;
  /** Whether rows are added to the search indexes. */
  isSearched?: boolean | undefined;
};

/** Most rows that one call of the script adds: it takes Redis some milliseconds. */
const MOST_AT_ONCE = 64;

/** Calls of the script under way at once: those of a batch of lines. So they wait for Redis' disk once, and not one after another. */
const MOST_UNDER_WAY = 4;

/** Adds lines to the ledger as rows; lua/put.lua says what happens to existing rows. Lines that come at the same time share one script. */
export function makePutRows({ connection, keys, isSearched = true }: PutOptions) {
  const run = makeLuaScript(connection, new URL('../lua/put.lua', import.meta.url));
  const runScript = (args: (string | number)[]) => run([keys.account], args) as Promise<unknown[]>;
  const runInBatch = makeBatcher(runScript, MOST_AT_ONCE, MOST_UNDER_WAY);
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
    /** @param generation how often the portfolio had been cancelled when the import began; '' takes the present number */
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
     * Brings in new rows. Answers for each whether it was added. Rows that exist, were requested before or need any other decision are left
     * alone, for `put`.
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

/** The beginning of put.lua's answer if the row has another request than expected; that request follows, as JSON. */
const OTHER_WORDS = 'words ';

/** Lines whose rows one script reads: half a millisecond of Redis' time, and a text so short that its memory is freed soon. */
const LINES_AT_ONCE = 40;

/** The rows of a portfolio, by the last import that had them. */
export function makeImportRows({ connection, keys }: LedgerPlace) {
  const [listRows, runInBatch] = [makeListRows({ connection, keys }), batcherOf(connection, keys)];
  const indexes = (portfolio: string) => ROW_STATES.map((state) => keys.rowsInState(portfolio, state));

  return {
    /** Some hundreds of rows of one import, between two of its lines (inclusive), in the order of lines. */
    async atLines(
      portfolio: string,
      importId: string,
      { from, to }: { from: number; to: number },
    ): Promise<{ row: RowId; line: number }[]> {
      const found = await listRows(portfolio, ROW_STATES, { from, to, count: -1 }, ['import']);
      const rows = found.filter(({ values }) => values[0] === importId);
      return rows.map(({ row, line }) => ({ row, line })).sort((a, b) => a.line - b.line);
    },

    /** Rows of one import between two of its lines, as `atLines`, but any number, with their outcomes, and in any order. */
    async resultsAtLines(
      portfolio: string,
      importId: string,
      { from, to }: { from: number; to: number },
    ): Promise<{ row: RowId; line: number; result: RowResult }[]> {
      const parts = [];
      for (let at = from; at <= to; at += LINES_AT_ONCE) {
        const range = { from: at, to: Math.min(at + LINES_AT_ONCE - 1, to), count: -1, ofImport: importId };
        parts.push(listRows(portfolio, ROW_STATES, range, RESULT_FIELDS));
      }
      return (await Promise.all(parts)).flat().flatMap(({ row, line, values }) => {
        const result = toResult(values);
        return result ? { row, line, result } : [];
      });
    },

    /** The last line that any row of the portfolio has; 0 without rows. */
    async lastLine(portfolio: string): Promise<number> {
      const ends = await Promise.all(
        indexes(portfolio).map((index) => connection.zrange(index, '-1', '-1', 'WITHSCORES')),
      );
      return Math.max(0, ...ends.map(([, line]) => Number(line ?? 0)));
    },

    /** The number of the last import that had each of these rows, in order; '' for a missing row. */
    async importsOf(rows: readonly RowId[]): Promise<string[]> {
      const imports = await Promise.all(
        rows.map(({ portfolio, key }) => connection.hget(keys.row(portfolio, key), 'import')),
      );
      return imports.map((found) => found ?? '');
    },

    /**
     * Cancels a row for which this import's file has no valid line, unless it was sent or is of an import that began later. Answers
     * whether it did.
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

/** What the ledger knows of a row and its calls; '' for nothing. */
export type KnownRow = {
  state: RowState | '';
  /** What the row's line asked for, as JSON. */
  request: string;
  /** State of the row's limit call, and the digest of what was requested with it. */
  limit: string;
  asked: string;
  /** Whether a person declined the row's request, so that it needs another person's yes. */
  isDeclined: boolean;
  /** State of the call for the company of the row's buyer, and the idempotency header with which that call was sent. */
  company: string;
  companyHeader: string;
};

export type Foresight = (rows: readonly { row: RowId; buyer: string }[]) => Promise<KnownRow[]>;

/** Finds what the ledger already knows of lines that are not imported; changes nothing. */
export function makeForesight({ connection, keys }: LedgerPlace): Foresight {
  return async (rows) => {
    if (rows.length === 0) return [];
    const step = connection.pipeline();
    for (const { row, buyer } of rows) {
      step.hmget(keys.row(row.portfolio, row.key), 'state', 'request');
      step.hmget(keys.call('limit', row.key), 'state', 'asked', 'declined');
      step.hmget(keys.call('company', buyer), 'state', 'header');
    }
    const answers = answersOf(await step.exec());
    return rows.map((_row, place) => {
      const [row = [], limit = [], company = []] = answers.slice(3 * place) as (string | null)[][];
      return {
        state: (row[0] ?? '') as RowState | '',
        request: row[1] ?? '',
        limit: limit[0] ?? '',
        asked: limit[1] ?? '',
        isDeclined: (limit[2] ?? null) !== null,
        company: company[0] ?? '',
        companyHeader: company[1] ?? '',
      };
    });
  };
}
