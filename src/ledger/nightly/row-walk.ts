import { setImmediate as turn } from 'node:timers/promises';
import { ownText } from '../../files/text.ts';
import { makeLuaScript } from '../../lua-script.ts';
import { readPair } from '../calls/claim-answers.ts';
import type { LedgerPlace } from '../schema/keys.ts';
import type { RowResult, RowState, Step } from '../schema/row.ts';
import { GRANTED_STATES, is, SETTLED_STATES, statesThat, UNFINISHED_STATES } from '../schema/row.ts';
import type { RowId } from '../schema/schema.ts';
import { awaitsOf, makeSeparator } from '../search/row-pages.ts';

/**
 * The states in the order in which their rows are walked: first open rows, then rows that wait for people, then ended ones. So a row that
 * moves on during the walk comes once or twice, and is never missed.
 */
export const WALKED_STATES = [
  ...UNFINISHED_STATES,
  ...statesThat('isHeld'),
  ...SETTLED_STATES.filter((state) => !is('isGranted', state)),
  ...GRANTED_STATES.toReversed(),
];

/** Rows read at a time: a millisecond of Redis' time, and few enough that their memory is freed soon, as that of young objects. */
const PAGE = 50;

/** Runs a command at Redis, perhaps after letting others go first. */
export type Ask = <Answer>(command: () => Promise<Answer>) => Promise<Answer>;

/** Which rows to walk. `withCalls`: the calls of each row are checked too, at twice the cost. */
type Walk = { portfolio: string; state: RowState; withCalls?: boolean; ask?: Ask };

export type RowWalks = ReturnType<typeof makeRowWalk>;

/** Reads rows with all their fields, each as it is at one moment. */
export function makeRowWalk({ connection, keys }: LedgerPlace) {
  const listRows = makeLuaScript(connection, new URL('../lua/list-rows.lua', import.meta.url));

  /**
   * The rows of a state in the order of lines, in pages. A row that stays in the state during the whole walk comes once, whichever others
   * move. The next page is read while the caller works on this one.
   */
  return async function* walk({
    portfolio,
    state,
    withCalls = false,
    ask = (command) => command(),
  }: Walk): AsyncGenerator<Iterable<StoredRow>> {
    const places = { begins: keys.row(portfolio, ''), sets: [keys.rowsInState(portfolio, state)] };
    const [fields, between] = [walkedFieldsOf(state), makeSeparator()];
    const readPage = async (line: number, count: number): Promise<StoredPage> => {
      const told = { from: line, to: '+inf', count, withCalls: withCalls ? 1 : 0, between, fields };
      const [rows, text] = (await ask(() => listRows(places, told))) as [number, string];
      return storedPage(portfolio, { rows, texts: text.split(between), fields });
    };
    const read = (line: number, count: number) => {
      const page = readPage(line, count);
      // A rejection before the caller awaits the page would count as unhandled, and end the process.
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
        // Rows of many imports may share one line. If a whole page has the same line, the next one is made longer.
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
 * Waits until a gathered command has left for Redis, which takes two turns of the event loop. Otherwise it would leave only after the
 * caller has worked on its page, since that work has no pause; Redis would be idle until then.
 */
async function untilSent(): Promise<void> {
  await turn();
  await turn();
}

const placesIn = ({ length }: StoredPage): number[] => Array.from({ length }, (_none, at) => at);

function* rowsOf(page: StoredPage, places: readonly number[]): Generator<StoredRow> {
  for (const at of places) yield page.row(at);
}

/** Fields of nearly every row; the first four in the order that list-rows.lua needs. */
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
  'since',
  'tally',
] as const;

/** The fields that are read of a row that is not done. */
const FIELDS = [...COMMON_FIELDS, 'cause', 'replaced', 'problem', 'was', 'answer'] as const;

type WalkedField = (typeof FIELDS)[number];

/** The fields to read of rows in this state: a done row has no reasons for earlier waits or failures. */
const walkedFieldsOf = (state: RowState): readonly WalkedField[] => (state === 'done' ? COMMON_FIELDS : FIELDS);

/** A row as stored. */
export type StoredRow = {
  row: RowId;
  /** The row's line in the index of its state. */
  at: number;
  /** The parsed row; each part is parsed when it is first used. */
  result: RowResult;
  /** A field as stored; '' if the row lacks it. */
  field: (name: WalkedField) => string;
  /** The row's calls and its buyer's list of limits, if they do not fit a row in its state. */
  odd: OddCalls | undefined;
};

/** A call as list-rows.lua answers it; `state` is '' if there is no such call. */
export type OddCall = { state: string; id: string; row: string; owner: string; at: string };

/** A row's calls and its buyer's list of limits, each only if it does not fit the row's state. `list`: the first hundred of the limits. */
export type OddCalls = { limit?: OddCall; company?: OddCall; list?: string[] };

/** The rows of a page. Each is made on demand and not kept, so that its parsed parts can be freed. */
type StoredPage = {
  length: number;
  key: (at: number) => string;
  line: (at: number) => number;
  row: (at: number) => StoredRow;
};

/** Reads the answer of list-rows.lua: key, line, odd calls and fields of each row. */
function storedPage(
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
        // A substring would keep its whole page, a thousand times as long, in memory.
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

/** The number of texts before a row's fields in the answer of list-rows.lua: key, line and odd calls. */
const BEFORE_FIELDS = 3;

function oddIn(text: string | undefined): OddCalls | undefined {
  if (!text) return undefined;
  const odd = JSON.parse(text) as OddCalls;
  // Lua encodes an empty list like an empty table, as an object.
  return odd.list && !Array.isArray(odd.list) ? { ...odd, list: [] } : odd;
}

const PLACES = Object.fromEntries(FIELDS.map((name, place) => [name, place])) as Record<WalkedField, number>;

/** A row as `Rows.read` answers it. Each field is parsed only when it is used: there may be a million rows, and most checks use one or two. */
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
    sinceMs: Number(field('since') || field('updated')),
  };
}
