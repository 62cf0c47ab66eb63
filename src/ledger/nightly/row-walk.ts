import { randomBytes } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { makeLuaScript, type RedisConnection } from '../../lua-script.ts';
import { readPair } from '../calls/claim-answers.ts';
import type { Keys } from '../schema/keys.ts';
import {
  GRANTED_STATES,
  is,
  type RowResult,
  type RowState,
  SETTLED_STATES,
  type Step,
  statesThat,
  UNFINISHED_STATES,
} from '../schema/row.ts';
import type { RowId } from '../schema/schema.ts';
import { awaitsOf } from '../search/row-lists.ts';

/**
 * In this order a row that gets on while it is walked comes once or twice, and never not at all: what is open first, then what
 * waits for people, then what has ended.
 */
export const WALKED_STATES = [
  ...UNFINISHED_STATES,
  ...statesThat('isHeld'),
  ...SETTLED_STATES.filter((state) => !is('isGranted', state)),
  ...GRANTED_STATES.toReversed(),
];

/** Rows at a time: a millisecond of Redis' time, and as much as may be alive here at once without outliving its looks. */
const PAGE = 50;

/** Stands between texts of rows; no text has it, since nobody can know it before. */
const BETWEEN = `\0${randomBytes(3).toString('base64url')}`;

/** Asks Redis for something, and may let others go first. */
export type Ask = <Answer>(command: () => Promise<Answer>) => Promise<Answer>;

/** How a walk reads: `withCalls` where what is odd about the calls of its rows is wanted, at twice the cost. */
type Walk = { portfolio: string; state: RowState; withCalls?: boolean; ask?: Ask };

export type RowWalks = ReturnType<typeof makeRowWalk>;

/** Reads rows with all that is kept in them, each as it is at one moment. */
export function makeRowWalk({ connection, keys }: { connection: RedisConnection; keys: Keys }) {
  const listRows = makeLuaScript(connection, new URL('../lua/list-rows.lua', import.meta.url));

  /**
   * The rows of a state, page by page, in the order of their lines. Each row that is there from the beginning to the end comes once,
   * whoever moves others meanwhile. The next page is read while this one is looked at.
   */
  return async function* walk({
    portfolio,
    state,
    withCalls = false,
    ask = (command) => command(),
  }: Walk): AsyncGenerator<Iterable<StoredRow>> {
    const places = { begins: keys.row(portfolio, ''), sets: [keys.rowsInState(portfolio, state)] };
    const fields = walkedFieldsOf(state);
    const readPage = async (line: number, count: number): Promise<StoredPage> => {
      const told = { from: line, to: '+inf', count, withCalls: withCalls ? 1 : 0, between: BETWEEN, fields };
      const [rows, text] = (await ask(() => listRows(places, told))) as [number, string];
      return storedPage(portfolio, { rows, texts: text.split(BETWEEN), fields });
    };
    const read = (line: number, count: number) => {
      const page = readPage(line, count);
      // It may fail while nobody waits for it yet.
      page.catch(() => {});
      return page;
    };
    let count = PAGE;
    let line = 0;
    let seen = new Set<string>();
    for (let next: Promise<StoredPage> | undefined = read(line, count); next; ) {
      const found = await next;
      next = undefined;
      const fresh = placesIn(found).filter((at) => !(found.line(at) === line && seen.has(found.key(at))));
      const last = found.line(found.length - 1);
      if (found.length === count) {
        // Rows of many imports may share one line; a page of nothing else needs a longer one behind it.
        count = last === line ? count * 2 : PAGE;
        const sameLine = placesIn(found).filter((at) => found.line(at) === last);
        seen = new Set([...(last === line ? seen : []), ...sameLine.map(found.key)]);
        line = last;
        next = read(line, count);
        await untilSent();
      }
      if (fresh.length > 0) yield rowsOf(found, fresh);
    }
  };
}

/**
 * What is asked leaves in the turn of the event loop behind the one in which it is gathered. Who looks at a page takes no turn until
 * its end; Redis would wait for that, and then we for Redis.
 */
async function untilSent(): Promise<void> {
  await turn();
  await turn();
}

function placesIn({ length }: StoredPage): number[] {
  return Array.from({ length }, (_none, at) => at);
}

function* rowsOf(page: StoredPage, places: readonly number[]): Generator<StoredRow> {
  for (const at of places) yield page.row(at);
}

/** What every row has, as a rule; the first four in the order of list-rows.lua. */
const COMMON_FIELDS = [
  'state',
  'request',
  'company',
  'limit',
  'step',
  'line',
  'import',
  'documents',
  'record',
  'approval',
  'statements',
  'again',
  'updated',
  'tally',
] as const;

/** What rows have beside that until they are done. */
const FIELDS = [...COMMON_FIELDS, 'cause', 'replaced', 'problem', 'was', 'answer'] as const;

type WalkedField = (typeof FIELDS)[number];

/** The fields that are read of rows in this state: a row that is done has forgotten why it waited or failed before. */
export function walkedFieldsOf(state: RowState): readonly WalkedField[] {
  return state === 'done' ? COMMON_FIELDS : FIELDS;
}

/** A row as the ledger has it. */
export type StoredRow = {
  row: RowId;
  /** The line by which it stands in the index of its state. */
  at: number;
  /** What it is. Its parts are parsed when they are asked for, and once. */
  result: RowResult;
  /** A field as it is stored; '' where it has none. */
  field: (name: WalkedField) => string;
  /** What its calls and its buyer's list are, where that is not as it should be of a row in its state. */
  odd: OddCalls | undefined;
};

/** A call as list-rows.lua tells it: `state` is '' where nothing is known of it. */
export type OddCall = { state: string; id: string; row: string; owner: string; at: string };

/** `list` are the first hundred limits of the buyer. */
export type OddCalls = { limit?: OddCall; company?: OddCall; list?: string[] };

/** The rows of a page: each is made when it is asked for, and not kept, so that what is parsed of it is gone with it. */
export type StoredPage = {
  length: number;
  key: (at: number) => string;
  line: (at: number) => number;
  row: (at: number) => StoredRow;
};

/** What list-rows.lua answers: of each row its key, its line, what is odd, and its fields. */
export function storedPage(
  portfolio: string,
  { rows, texts, fields }: { rows: number; texts: readonly string[]; fields: readonly WalkedField[] },
): StoredPage {
  const each = BEFORE_FIELDS + fields.length;
  const key = (at: number) => texts[at * each] ?? '';
  const line = (at: number) => Number(texts[at * each + 1]);
  return {
    length: rows,
    key,
    line,
    row(at) {
      const from = at * each + BEFORE_FIELDS;
      const field = (name: WalkedField) => {
        const place = PLACES[name];
        return place < fields.length ? (texts[from + place] ?? '') : '';
      };
      let result: RowResult | undefined;
      return {
        row: { portfolio, key: ownText(key(at)) },
        at: line(at),
        field,
        odd: oddIn(texts[from - 1]),
        get result() {
          result ??= resultOf(field);
          return result;
        },
      };
    },
  };
}

/** A key may be kept for long: as a part of its page's text it would keep all of that, which is a thousand times as long. */
function ownText(part: string): string {
  return Buffer.from(part).toString();
}

/** Key, line and what is odd stand before the fields. */
const BEFORE_FIELDS = 3;

function oddIn(text: string | undefined): OddCalls | undefined {
  if (!text) return undefined;
  const odd = JSON.parse(text) as OddCalls;
  // Lua tells an empty list from an empty table by nothing.
  return odd.list && !Array.isArray(odd.list) ? { ...odd, list: [] } : odd;
}

const PLACES = Object.fromEntries(FIELDS.map((name, place) => [name, place])) as Record<WalkedField, number>;

/** The same as `Rows.read` answers: there may be a million, and most checks look at a field or two. */
function resultOf(field: StoredRow['field']): RowResult {
  let request: RowResult['request'] | undefined;
  let record: RowResult['record'] | undefined;
  const optional = (name: WalkedField) => field(name) || undefined;
  return {
    state: field('state') as RowState,
    step: (field('step') || 'company') as Step,
    line: Number(field('line')),
    importId: field('import'),
    get replaced() {
      return field('replaced') !== '';
    },
    get request() {
      request ??= JSON.parse(field('request')) as RowResult['request'];
      return request;
    },
    companyId: field('company'),
    get documentIds() {
      return field('documents') === '' ? [] : field('documents').split('|');
    },
    limitId: field('limit'),
    get record() {
      record ??= JSON.parse(field('record') || '{}') as RowResult['record'];
      return record;
    },
    get problem() {
      const text = field('problem');
      return text === '' ? undefined : JSON.parse(text);
    },
    cause: optional('cause'),
    approval: optional('approval'),
    statements: optional('statements'),
    get awaits() {
      return field('was') === '' ? undefined : awaitsOf(field('was'), field('answer'));
    },
    get again() {
      return field('again') === '' ? undefined : readPair(field('again'));
    },
    updatedMs: Number(field('updated')),
  };
}
