import { ledgerScript } from '../schema/gated-script.ts';
import type { LedgerPlace } from '../schema/keys.ts';
import { answersOf, readAtOnce } from '../schema/redis-reads.ts';
import { ROW_STATES, type RowState } from '../schema/row.ts';
import { digestsOfText, INDEXED_LETTERS, searchedName, withRegisters } from './index-words.ts';
import type { RowFilter } from './row-filter.ts';
import { isBehind } from './row-pages.ts';

/** A row found in an index, with its line in that index; it may not match the filter. */
export type Candidate = { key: string; line: number };

/** A row found in an index that orders rows by a value, such as the requested limit or the time of the last change. */
export type Valued = Candidate & { value: number };

/** Columns and rows that one script visits: some milliseconds of Redis' time. */
const MOST_LOOKED_AT = 8_000;
/**
 * `LINES_OF_COLUMN`: the lines whose rows share a search column, as in columns.lua. `ROWS_OF_BUCKET`: the rows of a portfolio for each
 * bucket of its index by ids, as in index-entries.lua.
 */
export const LINES_OF_COLUMN = 1_024;
export const ROWS_OF_BUCKET = 16;
/** The most rows with one id that are read at each level of the index by ids: more are useless to a person. */
const MOST_OF_ID = 500;

/** Counts of a portfolio's rows. `indexed`: rows in the index of names; `changed`: rows in the index by the time of the last change. */
type Sizes = { states: Map<RowState, number>; rows: number; indexed: number; changed: number; lastLine: number };

export type RowSources = ReturnType<typeof makeRowSources>;

/** Reads a portfolio's indexes from a cursor on. Callers compare the answers with the rows themselves. */
export function makeRowSources({ connection, keys }: LedgerPlace) {
  const script = (name: string) => ledgerScript(connection, name);
  const findIds = script('find#find-ids');
  const columnRows = script('column-rows');
  const amountRows = script('amount-rows');
  const findBuyers = script('find#find-buyers');

  return {
    /** Number of rows, in each state and in the search index; and the last line of any row. */
    async sizes(portfolio: string): Promise<Sizes> {
      const sets = ROW_STATES.map((state) => keys.rowsInState(portfolio, state));
      const read = await readAtOnce(connection, [
        ['ZCARD', keys.names(portfolio)],
        ['ZCARD', keys.changed(portfolio)],
        ...sets.map((set) => ['ZCARD', set] as const),
        ...sets.map((set) => ['ZRANGE', set, '-1', '-1', 'WITHSCORES'] as const),
      ]);
      const [indexed, changed, ...answers] = read.answers;
      const states = new Map(ROW_STATES.map((state, place) => [state, Number(answers[place] ?? 0)]));
      const lines = answers.slice(ROW_STATES.length).map((end) => Number((end as string[])[1] ?? 0));
      const rows = [...states.values()].reduce((sum, size) => sum + size, 0);
      const lastLine = Math.max(0, ...lines);
      return { states, rows, indexed: Number(indexed ?? 0), changed: Number(changed ?? 0), lastLine };
    },

    async sizeOfCause(portfolio: string, cause: string): Promise<number> {
      return connection.zcard(keys.rowsOfCause(portfolio, cause));
    },

    /**
     * Rows of these states, or of one cause, at one moment, in the order of lines and then keys, behind `after` and up to line `to`; or
     * all of them in the order of changes, with the time of the last change in place of the line. `isDown` reverses the order.
     * Fewer than `count` only at the end.
     */
    async byLine(
      portfolio: string,
      of: { states: readonly RowState[] } | { cause: string } | 'changed',
      given: { after: Candidate | undefined; to?: number; count: number; isDown?: boolean },
    ): Promise<Candidate[]> {
      const { after, to = Number.POSITIVE_INFINITY, count, isDown = false } = given;
      const sets =
        of === 'changed'
          ? [keys.changed(portfolio)]
          : 'cause' in of
            ? [keys.rowsOfCause(portfolio, of.cause)]
            : of.states.map((state) => keys.rowsInState(portfolio, state));
      const last = isDown ? '-inf' : to === Number.POSITIVE_INFINITY ? '+inf' : String(to);
      const first = after === undefined ? (isDown ? '+inf' : '-inf') : String(after.line);
      const reversed = isDown ? ['REV'] : [];
      const [next, order] = isDown ? [isBefore, againstOrder] : [isBehind, inOrder];
      // Rows of many imports may share one line: then a larger page is read.
      for (let limit = count + 2; ; limit *= 4) {
        const range = [first, last, 'BYSCORE', ...reversed, 'LIMIT', '0', String(limit), 'WITHSCORES'];
        const { answers } = await readAtOnce(
          connection,
          sets.map((set) => ['ZRANGE', set, ...range] as const),
        );
        const pages = answers.map((page) => candidatesOf(page as string[]));
        const behind = pages.flat().filter((one) => after === undefined || next(one, after));
        // A page that was cut at the limit may lack rows of its last line, so only rows of the lines before are sure.
        const cuts = pages.filter((page) => page.length === limit).map((page) => page.at(-1)?.line ?? 0);
        const sure = behind.filter(({ line }) => cuts.every((cut) => (isDown ? line > cut : line < cut))).sort(order);
        if (sure.length >= count || cuts.length === 0) return sure.slice(0, count);
      }
    },

    /** Rows whose name begins with the text, behind an entry of the index, in the order of names. */
    async byName(
      portfolio: string,
      text: string,
      { after, count }: { after: string; count: number },
    ): Promise<{ entry: string; key: string }[]> {
      const begins = searchedName(text).slice(0, INDEXED_LETTERS);
      if (begins === '') return [];
      const from = after === '' ? `[${begins}` : `(${after}`;
      const to = Buffer.concat([Buffer.from(`(${begins}`), Buffer.from([0xff])]);
      const found = await connection.zrange(keys.names(portfolio), from, to, 'BYLEX', 'LIMIT', '0', String(count));
      return found.map((entry) => ({ entry, key: entry.slice(entry.lastIndexOf('\0') + 1) }));
    },

    /**
     * Entries `<word> <buyer>` of words that begin with `begins`, after the entry `after`, each with the keys of the buyer's rows in the
     * portfolio.
     */
    async byWord(
      portfolio: string,
      begins: string,
      { after, most }: { after: string; most: number },
    ): Promise<{ entry: string; keys: string[] }[]> {
      const entries = (await findBuyers({ words: keys.words }, { begins, after, most })) as string[];
      const step = connection.pipeline();
      for (const entry of entries) step.hkeys(keys.buyerRows(entry.slice(entry.lastIndexOf(' ') + 1)));
      const found = answersOf(await step.exec()) as string[][];
      return entries.map((entry, at) => ({ entry, keys: rowsIn(portfolio, found[at] ?? []) }));
    },

    /**
     * Rows by requested limit behind `after`, those with the same limit by blocks of lines, with the limit as `value` and the first line of
     * the block. `isAll`: nothing follows; `seen`: columns and rows visited.
     */
    async byAmount(
      portfolio: string,
      { min = '', max = '', status }: RowFilter,
      given: { after: Valued | undefined; lastLine: number; count: number; isDown: boolean },
    ): Promise<{ found: Valued[]; isAll: boolean; seen: number }> {
      const { after, lastLine, count, isDown } = given;
      const last = Math.floor(lastLine / LINES_OF_COLUMN);
      const place = after && {
        amount: String(after.value),
        column: Math.floor(after.line / LINES_OF_COLUMN),
        key: after.key,
      };
      const of = { from: min, to: max, ofStatus: status === undefined ? '' : 1, status };
      const told = { isDown: isDown ? 1 : 0, ...of, last, ...place, count, most: MOST_LOOKED_AT };
      const answer = await amountRows({ portfolio: keys.portfolio(portfolio) }, told);
      const [isAll, seen, ...rows] = answer as [number, number, ...string[]];
      const found: Valued[] = [];
      for (let at = 0; at < rows.length; at += 3) {
        const line = Number(rows[at + 2]) * LINES_OF_COLUMN;
        found.push({ key: rows[at] ?? '', value: Number(rows[at + 1]), line });
      }
      return { found, isAll: isAll === 1, seen };
    },

    /** The keys of those rows whose field passes the test; ten times as fast as reading the rows. */
    async inWhich(
      portfolio: string,
      rowKeys: readonly string[],
      field: 'state' | 'tally',
      passes: (text: string) => boolean,
    ): Promise<string[]> {
      if (rowKeys.length === 0) return [];
      const step = connection.pipeline();
      for (const key of rowKeys) step.hget(keys.row(portfolio, key), field);
      const found = answersOf(await step.exec()) as (string | null)[];
      return rowKeys.filter((_key, at) => passes(found[at] ?? ''));
    },

    /** Keys of rows with this id or number, or another of the same digest; MOST_OF_ID or more if there may be others. */
    async byId(portfolio: string, text: string): Promise<string[]> {
      return (await findIds(
        { portfolio: keys.portfolio(portfolio) },
        { most: MOST_OF_ID, digests: withRegisters(text).flatMap(digestsOfText) },
      )) as string[];
    },

    /** The buyers with this identifier, and the keys of their rows in the portfolio. */
    async byBuyer(portfolio: string, identifier: string): Promise<{ buyers: string[]; keys: string[] }> {
      const holders = await connection.hget(keys.identifiers(identifier.slice(0, 3)), identifier.slice(3));
      const buyers = holders?.match(/[\w-]{16}/g) ?? [];
      const names = (await Promise.all(buyers.map((buyer) => connection.hkeys(keys.buyerRows(buyer))))).flat();
      return { buyers, keys: rowsIn(portfolio, names) };
    },

    /**
     * Rows by requested limit, status and state behind `after`, in the order of lines and then keys. `next` is where to continue, if there
     * may be more, and `seen` the number of columns and rows visited.
     */
    async byColumn(
      portfolio: string,
      { min = '', max = '', status, states = [] }: RowFilter,
      { after, lastLine, count }: { after: Candidate; lastLine: number; count: number },
    ): Promise<{ found: Candidate[]; next: Candidate | undefined; seen: number }> {
      const [first, last] = [after.line, lastLine].map((line) => Math.floor(line / LINES_OF_COLUMN));
      const of = { first, last, from: min, to: max, ofStatus: status === undefined ? '' : 1, status, states };
      const answer = await columnRows(
        { portfolio: keys.portfolio(portfolio), begins: keys.row(portfolio, '') },
        { ...of, rows: count, most: MOST_LOOKED_AT },
      );
      const [column = 0, seen = 0, ...pairs] = answer as [number, number, ...string[]];
      const behind = candidatesOf(pairs)
        .filter((one) => isBehind(one, after))
        .sort(inOrder);
      const found = behind.slice(0, count);
      if (found.length < behind.length) return { found, next: found.at(-1), seen };
      const line = column * LINES_OF_COLUMN;
      return { found, next: line > lastLine ? undefined : { line, key: '' }, seen };
    },
  };
}

/** The keys of those of a buyer's rows that are in this portfolio. */
function rowsIn(portfolio: string, names: readonly string[]): string[] {
  const begins = `${portfolio}/`;
  return names.filter((name) => name.startsWith(begins)).map((name) => name.slice(begins.length));
}

const againstOrder = (one: Candidate, other: Candidate): number => inOrder(other, one);

const isBefore = (one: Candidate, other: Candidate): boolean => isBehind(other, one);

export function inOrder(one: Candidate, other: Candidate): number {
  return one.line - other.line || (one.key < other.key ? -1 : 1);
}

function candidatesOf(page: readonly string[]): Candidate[] {
  const found: Candidate[] = [];
  for (let at = 0; at < page.length; at += 2) found.push({ key: page[at] ?? '', line: Number(page[at + 1]) });
  return found;
}
