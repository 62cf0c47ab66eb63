import { CALL_KINDS, type CallKind, KINDS } from '../../call-kind.ts';
import { readPair } from '../calls/claim-answers.ts';
import { ledgerScript } from '../schema/gated-script.ts';
import type { LedgerPlace } from '../schema/keys.ts';
import type { RowRequest, RowState } from '../schema/row.ts';
import { type RowId, rowIdOf } from '../schema/schema.ts';
import { digestsOfText, idDigest, numbersOf } from '../search/index-words.ts';
import { hasKnownPrefix, idsIn } from './event-ids.ts';
import type { EventTotals, KeptEvent } from './kept-event.ts';

/** A row that an event names, and the id by which it does. */
export type NamedRow = {
  row: RowId;
  state: RowState;
  line: number;
  /** The buyer's name. */
  name: string;
  /** The requested limit, as decimal text. */
  requested: string;
  /** The id in the event, and what it identifies. */
  id: string;
  of: CallKind | 'number';
};

/** The first rows that an event names. `moreRows`: whether the event names further rows, such as those of a company with many requests. */
export type RowsOfEvent = { rows: NamedRow[]; moreRows: boolean };

/** An event with the first rows that it names. */
export type ListedEvent = KeptEvent & RowsOfEvent;

/** Events, latest first; `more` says whether there are others. */
export type EventList = {
  events: ListedEvent[];
  more: boolean;
  totals: EventTotals;
  /** The limits for storing events, in bytes and in ms. */
  mostBytes: number;
  keepMs: number;
  /** The number of portfolios whose rows are not in Redis, so that events cannot be matched with them. */
  archived: number;
  /** The number of older portfolios that were not searched for rows. */
  unlooked: number;
};

/** Most rows shown for one event. */
const MOST_ROWS = 10;

/** Digests searched by one script in one portfolio: 2 milliseconds of Redis' time. */
const DIGESTS_AT_ONCE = 200;

/** Portfolios searched at a time: their scripts are sent together, and commands of others run in between. */
const PORTFOLIOS_AT_ONCE = 16;

/** Where to search: in one portfolio, or in the latest ones; in all if neither is given. */
export type LookedInto = { portfolio?: string | undefined; latest?: number | undefined };

/** Finds the rows that events name, by the search indexes. */
export function makeEventRows({ connection, keys }: LedgerPlace) {
  const findIds = ledgerScript(connection, 'find#find-ids');

  /** A portfolio's rows with one of the ids, each with its ids. */
  async function rowsIn(portfolio: string, digests: readonly string[]): Promise<Known[]> {
    const found = new Set<string>();
    for (let from = 0; from < digests.length; from += DIGESTS_AT_ONCE) {
      const page = digests.slice(from, from + DIGESTS_AT_ONCE);
      // One more row than the page shows is read: it tells whether there is a next page.
      const told = { most: MOST_ROWS + 1, digests: page };
      for (const key of (await findIds({ portfolio: keys.portfolio(portfolio) }, told)) as string[]) found.add(key);
    }
    return readRows([...found].map((key) => ({ portfolio, key })));
  }

  async function readRows(rows: readonly RowId[]): Promise<Known[]> {
    const read = async (row: RowId) =>
      toKnown(row, await connection.hmget(keys.row(row.portfolio, row.key), ...FIELDS));
    return (await Promise.all(rows.map(read))).flatMap((one) => one ?? []);
  }

  /**
   * Rows of these portfolios for which something was made twice, if one of the `ids` is that of the second thing. The search indexes have
   * only the id of the first.
   */
  async function rowsMadeTwice(ids: ReadonlySet<string>, portfolios: ReadonlySet<string>): Promise<Known[]> {
    const pairs = Object.entries(await connection.hgetall(keys.madeTwice));
    const rows = pairs.flatMap(([pair, row]) => (ids.has(readPair(pair).again) ? (rowIdOf(row) ?? []) : []));
    return readRows(rows.filter(({ portfolio }) => portfolios.has(portfolio)));
  }

  async function rowsById(digests: readonly string[], ids: ReadonlySet<string>, { portfolio, latest = 0 }: LookedInto) {
    const names = portfolio === undefined ? await connection.zrevrange(keys.portfolios, 0, latest - 1) : [portfolio];
    const byId = new Map<string, NamedRow[]>();
    const add = ({ ids: own, ...row }: Known) => {
      for (const [id, of] of own) byId.set(id, [...(byId.get(id) ?? []), { ...row, id, of }]);
    };
    for (let from = 0; from < names.length; from += PORTFOLIOS_AT_ONCE) {
      const page = names.slice(from, from + PORTFOLIOS_AT_ONCE);
      (await Promise.all(page.map((name) => rowsIn(name, digests)))).flat().forEach(add);
    }
    (await rowsMadeTwice(ids, new Set(names))).forEach(add);
    return byId;
  }

  return {
    portfolioCount: (): Promise<number> => connection.zcard(keys.portfolios),

    /**
     * The first rows that each of these events names, by the service's ids and by the company's numbers. Not found are rows that are not in
     * Redis (archived), or not in the indexes (SEARCH_INDEX=off).
     */
    async rowsOf(events: readonly Pick<KeptEvent, 'ids'>[], into: LookedInto = {}): Promise<RowsOfEvent[]> {
      const wanted = new Set(events.flatMap(({ ids }) => ids));
      const digests = [...new Set([...wanted].flatMap(digestsOf))];
      const byId = digests.length > 0 ? await rowsById(digests, wanted, into) : new Map<string, NamedRow[]>();
      return events.map(({ ids }) => rowsOfEvent(ids, byId));
    },
  };
}

/** The digests under which the indexes may have an id; the service's ids cannot be numbers. */
const digestsOf = (id: string): string[] => (hasKnownPrefix(id) ? [idDigest(id)] : digestsOfText(id));

/** The fields of a row that {@link toKnown} reads, in order. */
const FIELDS = ['state', 'line', 'company', 'documents', 'limit', 'request', 'again'] as const;

type Known = Omit<NamedRow, 'id' | 'of'> & { ids: ReadonlyMap<string, NamedRow['of']> };

function rowsOfEvent(ids: readonly string[], byId: ReadonlyMap<string, readonly NamedRow[]>): RowsOfEvent {
  const rows = new Map<string, NamedRow>();
  // An id that belongs to one row alone says more than an id that several rows share, so it comes first (RANK).
  const named = ids
    .flatMap((id) => byId.get(id) ?? [])
    .sort((one, other) => RANK.indexOf(one.of) - RANK.indexOf(other.of));
  for (const one of named) {
    const name = `${one.row.portfolio}/${one.row.key}`;
    if (!rows.has(name)) rows.set(name, one);
  }
  const all = [...rows.values()];
  return { rows: all.slice(0, MOST_ROWS), moreRows: all.length > MOST_ROWS };
}

/** The order in which ids are shown: the id of what is made last for a row comes first, and a company's number last. */
const RANK: readonly NamedRow['of'][] = [...CALL_KINDS.toReversed(), 'number'];

/** Words for people about what an id identifies, such as "the limit". */
export function whoseId(of: NamedRow['of']): string {
  return of === 'number' ? 'a number' : KINDS[of].whose;
}

function toKnown(
  row: RowId,
  [state, line, company, documents, limit, request, pair]: (string | null)[],
): Known | undefined {
  if (!state || !request) return undefined;
  const asked = JSON.parse(request) as RowRequest;
  const facts = { companyId: company || asked.companyId, documentIds: (documents ?? '').split('|'), limitId: limit };
  const ids = idsOfRow({ ...facts, request: asked });
  const twice = pair ? readPair(pair) : undefined;
  if (twice) ids.set(twice.again, twice.kind);
  return {
    row,
    state: state as RowState,
    line: Number(line),
    name: asked.name,
    requested: asked.limit.requested_limit,
    ids,
  };
}

/** The ids of a row that an event may name: those that the service gave, and the company's numbers as they were sent. */
export function idsOfRow(given: {
  companyId?: string | undefined;
  documentIds: readonly string[];
  limitId?: string | null | undefined;
  request: Pick<RowRequest, 'limit'>;
}): Map<string, NamedRow['of']> {
  const { companyId, documentIds, limitId, request } = given;
  const ids = new Map<string, NamedRow['of']>();
  const add = (id: string | null | undefined, of: NamedRow['of']) => {
    if (id && !ids.has(id)) ids.set(id, of);
  };
  add(limitId, 'limit');
  for (const id of documentIds) add(id, 'document');
  add(companyId, 'company');
  // Numbers that idsIn cannot find as a whole are left out.
  for (const number of numbersOf(request.limit)) if (isWhole(number)) add(number, 'number');
  return ids;
}

function isWhole(number: string): boolean {
  const { ids } = idsIn(Buffer.from(number));
  return ids.includes(number);
}
