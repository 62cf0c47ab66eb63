import type { Delimiter } from '../dialect.ts';
import { findQuoteFault } from '../quote-fault.ts';

/** Where a cell stands in its record's text, with its quotation marks; `to` is behind it. */
export type CellSpan = { from: number; to: number };

/** Where the cells of one record stand (RFC 4180, section 2); null where its quotation marks do not tell. */
export function cellSpans(text: string, delimiter: Delimiter): CellSpan[] | null {
  if (findQuoteFault(text, delimiter)) return null;
  const spans: CellSpan[] = [];
  for (let from = 0; ; ) {
    const to = text[from] === '"' ? behindQuotes(text, from) : endOfPlain(text, from, delimiter);
    spans.push({ from, to });
    if (to >= text.length) return spans;
    from = to + 1;
  }
}

/** A cell as it is written there: in quotation marks where it was so before, or would not come back without them. */
export function writtenCell(cell: string, delimiter: Delimiter, wasQuoted: boolean): string {
  const needsQuotes = wasQuoted || cell.includes(delimiter) || /["\r\n]/.test(cell);
  return needsQuotes ? `"${cell.replaceAll('"', '""')}"` : cell;
}

function endOfPlain(text: string, from: number, delimiter: Delimiter): number {
  const found = text.indexOf(delimiter, from);
  return found === -1 ? text.length : found;
}

/** The record is sound, so the quotation mark closes. */
function behindQuotes(text: string, from: number): number {
  let at = text.indexOf('"', from + 1);
  while (text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at + 1;
}
