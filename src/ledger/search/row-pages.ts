import { randomBytes } from 'node:crypto';
import { LimitlineError } from '../../errors.ts';
import { readPair } from '../calls/claim-answers.ts';
import { ledgerScript } from '../schema/gated-script.ts';
import type { LedgerPlace } from '../schema/keys.ts';
import { type IndexedRow, nightsOf, type RowResult, type RowState, type Step } from '../schema/row.ts';
import type { RowId } from '../schema/schema.ts';

/** Rows read at a time: it bounds memory, and the time of a script in Redis. */
const PAGE = 500;

/**
 * The rows of a state by line, in pages. A row that stays in the state during the whole walk comes once, whichever others move: the walk
 * goes by lines and not by indexes.
 *
 * @param from the first line, @param to the last one
 */
export async function* pagesOf(
  rows: Pick<RowLists, 'behind'>,
  portfolio: string,
  state: RowState,
  { from = 0, to = Number.POSITIVE_INFINITY }: { from?: number; to?: number } = {},
): AsyncGenerator<RowId[]> {
  let line = from;
  let seen = new Set<string>();
  let count = PAGE;
  for (;;) {
    const found = await rows.behind(portfolio, state, { line, count });
    const fresh = found.filter(({ row, line: at }) => at <= to && !(at === line && seen.has(row.key)));
    if (fresh.length > 0) yield fresh.map(({ row }) => row);
    const last = found.at(-1);
    if (!last || found.length < count || last.line > to) return;
    // Rows of many imports may have the same line number. If all rows of a page have it, the next page is longer.
    count = last.line === line ? count * 2 : PAGE;
    seen = new Set([...(last.line === line ? seen : []), ...keysAt(found, last.line)]);
    line = last.line;
  }
}

function keysAt(found: readonly { row: RowId; line: number }[], line: number): string[] {
  return found.filter((one) => one.line === line).map(({ row }) => row.key);
}

/**
 * The end of a page: a row by its line; an entry of the index of names; an entry of the index of words, with the last row shown of the
 * entry that follows ('' if none was shown); or a row by the value that orders the list.
 */
export type Cursor =
  | { line: number; key: string }
  | { name: string }
  | { word: string; key: string }
  | { value: number; line: number; key: string };

/** A cursor as one opaque word. */
export function cursorText(cursor: Cursor): string {
  return Buffer.from(JSON.stringify(partsOf(cursor))).toString('base64url');
}

function partsOf(cursor: Cursor): (string | number)[] {
  if ('name' in cursor) return [cursor.name];
  if ('word' in cursor) return [cursor.word, cursor.key];
  return 'value' in cursor ? [cursor.value, cursor.line, cursor.key] : [cursor.line, cursor.key];
}

/** @throws LimitlineError `USAGE` for an invalid cursor */
export function cursorOf(text: string): Cursor {
  try {
    const parts: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    if (Array.isArray(parts)) {
      const [first, second, third] = parts;
      if (typeof first === 'string' && parts.length === 1) return { name: first };
      if (typeof second === 'string' && parts.length === 2) {
        if (typeof first === 'string') return { word: first, key: second };
        if (Number.isSafeInteger(first)) return { line: first, key: second };
      }
      if (Number.isFinite(first) && Number.isSafeInteger(second) && typeof third === 'string' && parts.length === 3)
        return { value: first, line: second, key: third };
    }
  } catch {
    // The text is no cursor; the error is thrown below.
  }
  throw new LimitlineError('USAGE', 'This address names no page of rows: begin with the first one.');
}

/** Whether a row comes after a cursor, in the order of lines and then keys. */
export function isBehind({ line, key }: { line: number; key: string }, cursor: { line: number; key: string }): boolean {
  return line > cursor.line || (line === cursor.line && key > cursor.key);
}

export type RowLists = ReturnType<typeof makeRowLists>;

/**
 * Rows from index `place` on, or from the line `from` to the line `to`; at most `count` rows of each state, or -1 for all. `ofImport`: the only
 * import whose rows are meant.
 */
type LineRange = { place?: number; from?: number; to?: number | string; count: number; ofImport?: string };

/** What separates texts of rows; random, so that no text contains it. */
export function makeSeparator(): string {
  return `\0${randomBytes(3).toString('base64url')}`;
}

/** Lists rows of some states, by state and line, with some of their fields, '' if a row lacks it. */
export function makeListRows({ connection, keys }: LedgerPlace) {
  const script = ledgerScript(connection, 'list-rows');
  const between = makeSeparator();
  return async (portfolio: string, states: readonly RowState[], range: LineRange, fields: readonly string[]) => {
    const places = { begins: keys.row(portfolio, ''), sets: states.map((state) => keys.rowsInState(portfolio, state)) };
    const [rows, text] = (await script(places, { ...range, between, fields })) as [number, string];
    const texts = text.split(between);
    const each = 3 + fields.length;
    return Array.from({ length: rows }, (_none, at) => {
      const [key = '', line, , ...values] = texts.slice(each * at, each * (at + 1));
      return { row: { portfolio, key }, line: Number(line), values };
    });
  };
}

/** Reads which rows are in a state, and their outcomes; changes nothing. */
export function makeRowLists({ connection, keys }: LedgerPlace) {
  const listRows = makeListRows({ connection, keys });
  const readRows = ledgerScript(connection, 'general#read-rows');

  async function list(portfolio: string, state: RowState, range: LineRange): Promise<IndexedRow[]> {
    const found = await listRows(portfolio, [state], range, ['step']);
    return found.map(({ row, line, values: [step] }) => ({ row, line, step: (step || 'company') as Step }));
  }

  return {
    /**
     * Rows of one state by line, from this line on: other rows that move do not shift a line, as they would an index. Rows of several
     * imports may share a line.
     */
    behind: (portfolio: string, state: RowState, { line, count }: { line: number; count: number }) =>
      list(portfolio, state, { from: line, to: '+inf', count }),

    /** Rows of one state by line, each with its present or first step. */
    inState: (portfolio: string, state: RowState, { from = 0, count }: { from?: number; count: number }) =>
      list(portfolio, state, { place: from, count }),

    /** The outcomes of these rows, in order; undefined for a missing row. */
    async read(rows: readonly RowId[]): Promise<(RowResult | undefined)[]> {
      const parts = Array.from({ length: Math.ceil(rows.length / AT_ONCE) }, (_none, at) =>
        rows.slice(at * AT_ONCE, (at + 1) * AT_ONCE),
      );
      const read = await Promise.all(
        parts.map((part) =>
          readRows(
            part.map((row) => keys.row(row.portfolio, row.key)),
            RESULT_FIELDS,
          ),
        ),
      );
      return (read as (string | null)[][][]).flat().map(toResult);
    },
  };
}

/** Rows in one script: they take Redis less than a millisecond. */
const AT_ONCE = 100;

/** The fields of a row that {@link toResult} reads. */
export const RESULT_FIELDS = [
  ...['state', 'step', 'line', 'import', 'replaced', 'request', 'company', 'documents', 'limit', 'record', 'problem'],
  ...['cause', 'approval', 'statements', 'was', 'answer', 'again', 'atNight', 'rev', 'gen', 'updated', 'since'],
];

/** The outcome of a row, from {@link RESULT_FIELDS}: null or '' if the row lacks one. Undefined for a missing row. */
export function toResult(values: readonly (string | null)[]): RowResult | undefined {
  const [state, step, line, importId, replaced, request, company, documents, limit, record, problem, ...more] = values;
  const [cause, approval, statements, was, answer, again, night, revision, generation, updated, since] = more;
  if (!state || !request) return undefined;
  const atNight = nightsOf(night || undefined, revision || undefined);
  return {
    state: state as RowState,
    step: (step || 'company') as Step,
    line: Number(line),
    importId: importId ?? '',
    replaced: Boolean(replaced),
    request: JSON.parse(request),
    companyId: company ?? '',
    documentIds: documents ? documents.split('|') : [],
    limitId: limit ?? '',
    record: record ? JSON.parse(record) : {},
    problem: problem ? JSON.parse(problem) : undefined,
    cause: cause || undefined,
    approval: approval || undefined,
    statements: statements || undefined,
    awaits: was ? awaitsOf(was, answer ?? '') : undefined,
    again: again ? readPair(again) : undefined,
    ...(atNight ? { atNight } : {}),
    ...(Number(generation) > 0 ? { generation: Number(generation) } : {}),
    updatedMs: Number(updated),
    sinceMs: Number(since || updated),
  };
}

/** Reads the field `was` of a row: the row's state before it waited for an approval, and the call that a person answered. */
export function awaitsOf(text: string, answer = ''): RowResult['awaits'] {
  const { state, of, asOf } = JSON.parse(text);
  return { was: state, answer, ...(of === undefined ? {} : { of }), ...(asOf === undefined ? {} : { asOf }) };
}
