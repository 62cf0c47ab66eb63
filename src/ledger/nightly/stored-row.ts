import { readPair } from '../calls.ts';
import type { RowResult, RowState, Step } from '../row.ts';
import type { RowId } from '../row-id.ts';
import { awaitsOf } from '../row-lists.ts';

/** The fields of a row that the nightly check reads. */
export const WALKED_FIELDS = [
  'state',
  'step',
  'line',
  'import',
  'replaced',
  'request',
  'company',
  'documents',
  'limit',
  'record',
  'problem',
  'cause',
  'approval',
  'declined',
  'statements',
  'was',
  'answer',
  'again',
  'updated',
  'tally',
] as const;

type WalkedField = (typeof WALKED_FIELDS)[number];

/** A row as the ledger has it. */
export type StoredRow = {
  row: RowId;
  /** The line by which it stands in the index of its state. */
  at: number;
  /** What it is. Its parts are parsed when they are asked for, and once. */
  result: RowResult;
  /** A field as it is stored; '' where it has none. */
  field: (name: WalkedField) => string;
};

/** Key, line, and so many fields a row, as walk-rows.lua answers them. */
export function storedRows(portfolio: string, answer: readonly string[]): StoredRow[] {
  const rows: StoredRow[] = [];
  for (let place = 0; place < answer.length; place += 2 + WALKED_FIELDS.length) {
    const from = place + 2;
    const field = (name: WalkedField) => answer[from + (PLACES[name] ?? 0)] ?? '';
    const row = { portfolio, key: answer[place] ?? '' };
    rows.push({ row, at: Number(answer[place + 1]), field, result: resultOf(field) });
  }
  return rows;
}

const PLACES = Object.fromEntries(WALKED_FIELDS.map((name, place) => [name, place])) as Record<WalkedField, number>;

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
    declined: optional('declined'),
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
