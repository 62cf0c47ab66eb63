import { CALL_KINDS, type CallKind, KINDS } from '../../call-kind.ts';
import { makeLuaScript, type RedisConnection } from '../../lua-script.ts';
import { readPair } from '../calls/claim-answers.ts';
import type { Keys } from '../schema/keys.ts';
import type { RowRequest, RowState } from '../schema/row.ts';
import { type RowId, rowIdOf } from '../schema/schema.ts';
import { digestsOfText, idDigest, numbersOf } from '../search/index-words.ts';
import { hasKnownPrefix, idsIn } from './event-ids.ts';
import type { KeptEvent } from './kept-event.ts';

/** A row that an event names, and by what. */
export type NamedRow = {
  row: RowId;
  state: RowState;
  line: number;
  /** The company. */
  name: string;
  /** Decimal text. */
  requested: string;
  /** The id that stands in the event, and whose it is. */
  id: string;
  of: CallKind | 'number';
};

/** The first rows that an event names; `moreRows` says that there are others, as there are where it names a company of many requests. */
export type RowsOfEvent = { rows: NamedRow[]; moreRows: boolean };

/** What somebody reads of one event. */
const MOST_ROWS = 10;

/** Digests looked for with one script in one portfolio: 2 milliseconds of Redis' time. */
const DIGESTS_AT_ONCE = 200;

/** Portfolios looked into at a time: so many scripts go with one write, and others' commands in between. */
const PORTFOLIOS_AT_ONCE = 16;

/** Where rows are looked for: in one portfolio, or in so many of the latest; in all where neither is said. */
export type LookedInto = { portfolio?: string | undefined; latest?: number | undefined };

/** Finds the rows that events name, in the indexes by which rows are searched. */
export function makeEventRows({ connection, keys }: { connection: RedisConnection; keys: Keys }) {
  const findIds = makeLuaScript(connection, new URL('../lua/find-ids.lua', import.meta.url));

  /** Those of a portfolio's rows that have one of the ids, each with the ids that it has. */
  async function rowsIn(portfolio: string, digests: readonly string[]): Promise<Known[]> {
    const found = new Set<string>();
    for (let from = 0; from < digests.length; from += DIGESTS_AT_ONCE) {
      const page = digests.slice(from, from + DIGESTS_AT_ONCE);
      // One more than is told, so that it is known that there are more.
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

  /** Rows of these portfolios for which something was made twice, where one of the ids is that of the second: no index has it. */
  async function rowsMadeTwice(ids: ReadonlySet<string>, portfolios: ReadonlySet<string>): Promise<Known[]> {
    const pairs = Object.entries(await connection.hgetall(keys.madeTwice));
    const rows = pairs.flatMap(([pair, row]) => (ids.has(readPair(pair).again) ? (rowIdOf(row) ?? []) : []));
    return readRows(rows.filter(({ portfolio }) => portfolios.has(portfolio)));
  }

  /** The rows by each id that they have. */
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
    /** How many portfolios there are to look into. */
    portfolioCount: (): Promise<number> => connection.zcard(keys.portfolios),

    /**
     * The rows that each of these events names, the first of them: by the service's ids, and by the numbers of a company
     * that were sent. Rows that are not in Redis (an archived portfolio's), or not in the indexes (SEARCH_INDEX=off), are not found.
     */
    async rowsOf(events: readonly Pick<KeptEvent, 'ids'>[], into: LookedInto = {}): Promise<RowsOfEvent[]> {
      const wanted = new Set(events.flatMap(({ ids }) => ids));
      const digests = [...new Set([...wanted].flatMap(digestsOf))];
      const byId = digests.length > 0 ? await rowsById(digests, wanted, into) : new Map<string, NamedRow[]>();
      return events.map(({ ids }) => rowsOfEvent(ids, byId));
    },
  };
}

/** As the indexes have ids, and numbers without what is no letter or digit; the service's ids are no numbers. */
function digestsOf(id: string): string[] {
  return hasKnownPrefix(id) ? [idDigest(id)] : digestsOfText(id);
}

/** What is read of a row, in the order of {@link toKnown}. */
const FIELDS = ['state', 'line', 'company', 'documents', 'limit', 'request', 'again'] as const;

type Known = Omit<NamedRow, 'id' | 'of'> & { ids: ReadonlyMap<string, NamedRow['of']> };

function rowsOfEvent(ids: readonly string[], byId: ReadonlyMap<string, readonly NamedRow[]>): RowsOfEvent {
  const rows = new Map<string, NamedRow>();
  // What belongs to one row alone says more than what it shares with others.
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

/** The last thing that is made of a row comes first, and a number last. */
const RANK: readonly NamedRow['of'][] = [...CALL_KINDS.toReversed(), 'number'];

/** Whose an id is, such as "the limit". */
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

/** What of a row an event may name: ids that the service gave, and the company's numbers that it was sent, as they were written. */
export function idsOfRow({
  companyId,
  documentIds,
  limitId,
  request,
}: {
  companyId?: string | undefined;
  documentIds: readonly string[];
  limitId?: string | null | undefined;
  request: Pick<RowRequest, 'limit'>;
}): Map<string, NamedRow['of']> {
  const ids = new Map<string, NamedRow['of']>();
  const add = (id: string | null | undefined, of: NamedRow['of']) => {
    if (id && !ids.has(id)) ids.set(id, of);
  };
  add(limitId, 'limit');
  for (const id of documentIds) add(id, 'document');
  add(companyId, 'company');
  // What events are not found by at all is not looked for.
  for (const number of numbersOf(request.limit)) if (isWhole(number)) add(number, 'number');
  return ids;
}

function isWhole(number: string): boolean {
  const { ids } = idsIn(Buffer.from(number));
  return ids.includes(number);
}
