import { readPair } from '../calls/verdicts.ts';
import type { RowResult, RowState, Step } from '../schema/row.ts';
import type { RowId } from '../schema/schema.ts';
import { awaitsOf } from '../search/row-lists.ts';

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
export function fieldsOf(state: RowState): readonly WalkedField[] {
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
