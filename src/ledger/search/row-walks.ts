import { LimitlineError } from '../../errors.ts';
import type { RedisConnection } from '../../lua-script.ts';
import type { Meanings } from '../../status-meaning.ts';
import { outcomeOfTally } from '../counts/row-outcome.ts';
import type { Keys } from '../schema/keys.ts';
import { ROW_STATES, type RowState } from '../schema/row.ts';
import { beginsWith } from './index-words.ts';
import { type FoundRow, isNamedBy, NOBODY, type Referred, type RowFilter, statesOf } from './row-filter.ts';
import { type Cursor, isBehind, makeRowLists } from './row-pages.ts';
import { type Candidate, inOrder, type RowSources } from './row-sources.ts';

export type SearchOptions = {
  connection: RedisConnection;
  keys: Keys;
  /** Whether rows are added to the search indexes. */
  isSearched?: boolean | undefined;
  /** What a text means as a reference: the request key of a `request_reference`, and the identifier's digest of a `buyer_reference`. */
  referenceOf?: ((text: string) => { request: string; buyer: string }) | undefined;
  /** The words of a name by which its buyer is found in the index of all portfolios, in search form. */
  wordsOf?: ((name: string) => string[]) | undefined;
  /** Reads what statuses mean, for filters by outcome. */
  meanings?: (() => Promise<Meanings>) | undefined;
};

/** Some rows of a walk, each with the cursor behind it; the cursor of the next step, if any; and the cost, in rows read. */
type WalkStep = { rows: (FoundRow & { at: Cursor })[]; next: Cursor | undefined; cost: number };

/** Reads some `count` rows of a walk, after a cursor. A row that stays in the index comes once. */
export type Walk = (after: Cursor | undefined, count: number) => Promise<WalkStep>;

/**
 * How to find the rows of a filter. `isSure`: the walk finds no others. `unindexed`: number of rows that the walk cannot find. `meanings`:
 * the meanings of statuses where the filter names outcomes; empty for any other filter.
 */
export type WalkPlan = { walk: Walk; isSure: boolean; referred: Referred; unindexed: number; meanings: Meanings };

type WordCursor = Extract<Cursor, { word: string }>;

const FIRST = { line: 0, key: '' };

/** Most rows that are read for one id, number, reference or line. */
const MOST_NAMED = 1_000;
/** Up to this many rows in the filter's states, the walk goes by state and not by column. */
export const FEW_ROWS = 1_000;
/** Buyers with a word that are looked at in one step. */
const BUYERS_AT_ONCE = 100;
/** So many index entries visited by a script cost as much as reading one row. */
export const LOOKS_PER_ROW = 10;

export type SearchWalks = ReturnType<typeof makeRowWalks>;

/** Chooses the index that leads to a filter's rows with the fewest others, and walks it. */
export function makeRowWalks(
  {
    connection,
    keys,
    isSearched = true,
    referenceOf,
    wordsOf = () => [],
    meanings: readMeanings = async () => new Map(),
  }: SearchOptions,
  sources: RowSources,
) {
  const { read } = makeRowLists({ connection, keys });

  async function readAll(portfolio: string, found: readonly string[]): Promise<FoundRow[]> {
    const rows = found.map((key) => ({ portfolio, key }));
    const results = await read(rows);
    return rows.flatMap((row, place) => {
      const result = results[place];
      return result ? [{ row, result }] : [];
    });
  }

  /** Reads the rows that an index has listed. A row may have changed since, so it may not match the filter any more. */
  async function stepOf(portfolio: string, found: Candidate[], next: Cursor | undefined, looks = 0): Promise<WalkStep> {
    const lines = new Map(found.map(({ key, line }) => [key, line]));
    const rows = await readAll(portfolio, [...lines.keys()]);
    return {
      rows: rows.map((each) => ({ ...each, at: { line: lines.get(each.row.key) ?? 0, key: each.row.key } })),
      next,
      cost: found.length + looks / LOOKS_PER_ROW,
    };
  }

  /** @param isMeant whether a row with this tally may match: only such rows are read */
  function byLine(
    portfolio: string,
    of: { states: readonly RowState[] } | { cause: string },
    isMeant?: (tally: string) => boolean,
  ): Walk {
    return async (after, count) => {
      const found = await sources.byLine(portfolio, of, { after: placeOf(after), count });
      const next = found.length < count ? undefined : found.at(-1);
      if (!isMeant) return stepOf(portfolio, found, next);
      const rowKeys = found.map(({ key }) => key);
      const meant = new Set(await sources.inWhich(portfolio, rowKeys, 'tally', isMeant));
      const some = found.filter(({ key }) => meant.has(key));
      return stepOf(portfolio, some, next, found.length);
    };
  }

  function byColumn(portfolio: string, filter: RowFilter, lastLine: number): Walk {
    return async (after, count) => {
      const { found, next, seen } = await sources.byColumn(portfolio, filter, {
        after: placeOf(after),
        lastLine,
        count,
      });
      return stepOf(portfolio, found, next, seen);
    };
  }

  /** The given rows, in the order of lines. */
  function byKeys(portfolio: string, rowKeys: readonly string[]): Walk {
    return async (after) => {
      const rows = (await readAll(portfolio, rowKeys)).map((found) => ({ ...found, at: candidateOf(found) }));
      const behind = rows.filter(({ at }) => isBehind(at, placeOf(after)));
      return { rows: behind.sort((one, other) => inOrder(one.at, other.at)), next: undefined, cost: rows.length };
    };
  }

  /** The rows of a portfolio of few rows whose name has words that begin with those of the text. */
  async function amongFew(portfolio: string, after: WordCursor): Promise<WalkStep> {
    const behind = after.key === '' ? FIRST : { line: Number(after.word), key: after.key };
    const found = await sources.byLine(portfolio, { states: ROW_STATES }, { after: behind, count: FEW_ROWS });
    const { rows, cost } = await stepOf(portfolio, found, undefined);
    const placed = rows.map((each) => ({ ...each, at: { word: String(each.result.line), key: each.row.key } }));
    return { rows: placed, next: undefined, cost };
  }

  /** The rows of buyers that have a word like the longest one of the text, in the order of those words. */
  async function byWords(portfolio: string, text: string, { word: after, key }: WordCursor): Promise<WalkStep> {
    const [begins = ''] = wordsOf(text).toSorted((one, other) => other.length - one.length);
    if (begins === '') return { rows: [], next: undefined, cost: 0 };
    const entries = await sources.byWord(portfolio, begins, { after, most: BUYERS_AT_ONCE });
    const places = entries.flatMap(({ entry, keys: rowKeys }, at) =>
      rowKeys
        .toSorted()
        .filter((each) => at > 0 || each > key)
        .map((each) => ({ key: each, entry, before: entries[at - 1]?.entry ?? after })),
    );
    const keysFound = places.map((place) => place.key);
    const byKey = new Map((await readAll(portfolio, keysFound)).map((each) => [each.row.key, each]));
    const rows = places.flatMap(({ key: at, entry, before }) => {
      const found = byKey.get(at);
      // A row is found by each word of its name that begins with the searched word. It is answered once, for the first of these words.
      const [first] = wordsOf(found?.result.request.name ?? '')
        .filter((word) => word.startsWith(begins))
        .toSorted();
      return found && entry.startsWith(`${first} `) ? [{ ...found, at: { word: before, key: at } }] : [];
    });
    const last = entries.length < BUYERS_AT_ONCE ? undefined : entries.at(-1);
    return { rows, next: last && { word: last.entry, key: '' }, cost: byKey.size + entries.length / 2 };
  }

  /**
   * Rows found by a text. First come rows that the text names completely, then rows whose name begins with it, then rows with another word
   * that begins with it.
   */
  function byText(portfolio: string, text: string, filter: RowFilter, whole: FoundRow[], isFew: boolean): Walk {
    const isNamed = new Set(whole.map(({ row }) => row.key));
    const withWords = async (after: WordCursor) => {
      const step = await (isFew ? amongFew(portfolio, after) : byWords(portfolio, text, after));
      const isNew = ({ row, result }: FoundRow) => !isNamed.has(row.key) && !beginsWith(result.request.name, text);
      return { ...step, rows: step.rows.filter(isNew) };
    };
    return async (after, count) => {
      if (after === undefined || 'line' in after) {
        const rows = whole.map((found) => ({ ...found, at: candidateOf(found) }));
        const behind = rows.filter(({ at }) => isBehind(at, placeOf(after)));
        return { rows: behind, next: isSearched ? { name: '' } : undefined, cost: whole.length };
      }
      if ('word' in after) return withWords(after);
      const { name } = after;
      const entries = await sources.byName(portfolio, text, { after: name, count });
      const byKey = new Map(entries.map(({ key, entry }) => [key, entry]));
      const states: readonly string[] = statesOf(filter);
      const isMeant = (state: string) => states.includes(state);
      const named = [...byKey.keys()];
      const meant =
        states.length < ROW_STATES.length ? await sources.inWhich(portfolio, named, 'state', isMeant) : named;
      const rows = (await readAll(portfolio, meant)).filter(({ row }) => !isNamed.has(row.key));
      const last = entries.at(-1);
      return {
        rows: rows.map((found) => ({ ...found, at: { name: byKey.get(found.row.key) ?? '' } })),
        next: entries.length < count || !last ? { word: '', key: '' } : { name: last.entry },
        cost: meant.length + entries.length / LOOKS_PER_ROW,
      };
    };
  }

  /** Rows that a text names completely, by line, key, reference, number or id: few, in the order of lines. */
  async function namedBy(portfolio: string, text: string): Promise<{ rows: FoundRow[]; referred: Referred }> {
    const reference = referenceOf?.(text);
    const key = text.startsWith(`${portfolio}/`) ? text.slice(portfolio.length + 1) : text;
    const [lines, ids, ofBuyer] = await Promise.all([
      LINE_NUMBER.test(text) ? keysAtLine(portfolio, Number(text)) : [],
      isSearched ? sources.byId(portfolio, text) : [],
      reference ? sources.byBuyer(portfolio, reference.buyer) : { buyers: [], keys: [] },
    ]);
    const found = new Set([key, ...(reference ? [reference.request] : []), ...lines, ...ids, ...ofBuyer.keys]);
    const referred = { request: reference?.request ?? '', buyers: new Set(ofBuyer.buyers) };
    const rows = await readAll(portfolio, [...found].slice(0, MOST_NAMED));
    const named = rows.filter((each) => isNamedBy(each, text, referred));
    return { rows: named.sort((one, other) => inOrder(candidateOf(one), candidateOf(other))), referred };
  }

  async function keysAtLine(portfolio: string, line: number): Promise<string[]> {
    const of = { states: ROW_STATES };
    const found = await sources.byLine(portfolio, of, { after: { line, key: '' }, to: line, count: MOST_NAMED });
    return found.map(({ key }) => key);
  }

  return {
    readAll,
    isSearched,

    /** @throws LimitlineError `USAGE` for a text that needs the indexes, if they are turned off */
    async wayTo(portfolio: string, filter: RowFilter): Promise<WalkPlan> {
      const states = statesOf(filter);
      const { outcomes = [], text, cause, status, min, max, rows: chosen } = filter;
      // The state alone does not tell the outcome of a done row, nor whether another row replaces a cancelled one.
      const isByTally = outcomes.length > 0 && (states.includes('done') || states.includes('cancelled'));
      const meanings: Meanings = isByTally ? await readMeanings() : new Map();
      const isMeant = (tally: string) => {
        const outcome = outcomeOfTally(tally, meanings);
        return outcome === undefined || (outcome !== 'none' && outcomes.includes(outcome));
      };
      const isSure = text === undefined && !isByTally && (cause === undefined || Object.keys(filter).length === 1);
      const plain = { isSure, referred: NOBODY, unindexed: 0, meanings };
      if (text === undefined && chosen !== undefined) {
        return { ...plain, isSure: false, walk: byKeys(portfolio, chosen.slice(0, MOST_NAMED)) };
      }
      const isByColumn = status !== undefined || min !== undefined || max !== undefined;
      if (text === undefined && (cause !== undefined || !isByColumn)) {
        const of = cause === undefined ? { states } : { cause };
        return { ...plain, walk: byLine(portfolio, of, isByTally ? isMeant : undefined) };
      }
      const sizes = await sources.sizes(portfolio);
      const unindexed = Math.max(0, sizes.rows - sizes.indexed);
      if (text !== undefined) {
        const { rows, referred } = await namedBy(portfolio, text);
        if (!isSearched && rows.length === 0 && !LINE_NUMBER.test(text)) throw turnedOff();
        const walk = byText(portfolio, text, filter, rows, sizes.rows <= FEW_ROWS);
        return { ...plain, walk, referred, unindexed: isSearched ? unindexed : 0 };
      }
      const meant = states.reduce((sum, state) => sum + (sizes.states.get(state) ?? 0), 0);
      const isShort = meant <= FEW_ROWS || unindexed > 0;
      if (isShort) return { ...plain, walk: byLine(portfolio, { states }) };
      // If all states match, none is passed on, so that the script need not read the rows' states.
      const told = states.length < ROW_STATES.length ? { ...filter, states } : filter;
      return { ...plain, walk: byColumn(portfolio, told, sizes.lastLine) };
    },
  };
}

const LINE_NUMBER = /^[1-9]\d{0,8}$/;

export function turnedOff(): LimitlineError {
  const message =
    'Search by name, number and id, and the order of amounts and changes, are turned off (SEARCH_INDEX=off): search by line, or choose rows by state or cause.';
  return new LimitlineError('USAGE', message);
}

const candidateOf = ({ row, result }: FoundRow): Candidate => ({ line: result.line, key: row.key });

const placeOf = (cursor: Cursor | undefined): Candidate => (cursor && 'line' in cursor ? cursor : FIRST);
