import { LimitlineError } from '../../errors.ts';

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
