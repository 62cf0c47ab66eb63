import { LimitlineError } from '../../errors.ts';
import type { RowState } from '../schema/row.ts';
import type { RowId } from '../schema/schema.ts';
import type { RowLists } from './row-lists.ts';

/** Rows at a time: a portfolio never stands in memory as a whole, and no script at Redis lasts long. */
const PAGE = 500;

/**
 * The rows of a state, page by page, in the order of their lines. Each row that is there from the beginning to the end comes
 * once, whoever moves others meanwhile: the walk goes by lines and not by places.
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
    // Rows of many imports may share one line; a page of nothing else needs a longer one behind it.
    count = last.line === line ? count * 2 : PAGE;
    seen = new Set([...(last.line === line ? seen : []), ...keysAt(found, last.line)]);
    line = last.line;
  }
}

function keysAt(found: readonly { row: RowId; line: number }[], line: number): string[] {
  return found.filter((one) => one.line === line).map(({ row }) => row.key);
}

/** Where a page of rows ended: behind a row of a line, or behind an entry of the index of names. */
export type Cursor = { line: number; key: string } | { name: string };

/** A cursor as one word that means nothing to who carries it. */
export function cursorText(cursor: Cursor): string {
  const parts = 'name' in cursor ? [cursor.name] : [cursor.line, cursor.key];
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** @throws LimitlineError `USAGE` for what is no cursor */
export function cursorOf(text: string): Cursor {
  try {
    const parts: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    if (Array.isArray(parts)) {
      const [first, key] = parts;
      if (typeof first === 'string' && parts.length === 1) return { name: first };
      if (Number.isSafeInteger(first) && typeof key === 'string' && parts.length === 2) return { line: first, key };
    }
  } catch {
    // Said below.
  }
  throw new LimitlineError('USAGE', 'This address names no page of rows: begin with the first one.');
}

/** Whether a row stands behind the place where a page ended. */
export function isBehind({ line, key }: { line: number; key: string }, cursor: { line: number; key: string }): boolean {
  return line > cursor.line || (line === cursor.line && key > cursor.key);
}
