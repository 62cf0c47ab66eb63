import { LimitlineError } from '../../errors.ts';
import type { RowState } from '../schema/row.ts';
import type { RowId } from '../schema/schema.ts';
import type { RowLists } from './row-lists.ts';

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
