/** What is wrong with a record's quotation marks. */
export type QuoteFault = {
  /**
   * `unclosed`: a cell opens with a quotation mark and the text ends before it closes; `stray`: one stands inside a
   * cell that does not open with one; `trailing`: text stands between the closing one and the next delimiter.
   */
  kind: 'unclosed' | 'stray' | 'trailing';
  /** Where the cell starts in the text. */
  at: number;
};

/** The cells of a record, up to the cell with the fault if there is one. */
export type ParsedCells = { cells: string[]; fault: QuoteFault | null };

/**
 * Cuts one record, given without the line break that ends it, into its cells (RFC 4180, section 2, rules 4 to 7).
 * Unlike most parsers it forgives nothing: a guess about a quotation mark may move an amount to another buyer.
 *
 * @param delimiter the one character that stands between cells.
 * @param before what came of a shorter text that ended in an unclosed cell: goes on from there, in the same array of cells.
 */
export function parseCells(text: string, delimiter: string, before?: ParsedCells): ParsedCells {
  const mark = delimiter.charCodeAt(0);
  const cells = before?.cells ?? [];
  let at = before?.fault?.at ?? 0;
  for (;;) {
    let end: number;
    if (text.charCodeAt(at) === QUOTE) {
      const close = closingQuote(text, at + 1);
      if (close === -1) return { cells, fault: { kind: 'unclosed', at } };
      end = close + 1;
      if (end < text.length && text.charCodeAt(end) !== mark) return { cells, fault: { kind: 'trailing', at } };
      cells.push(text.slice(at + 1, close).replaceAll('""', '"'));
    } else {
      end = text.indexOf(delimiter, at);
      if (end === -1) end = text.length;
      const cell = text.slice(at, end);
      if (cell.includes('"')) return { cells, fault: { kind: 'stray', at } };
      cells.push(cell);
    }
    if (end === text.length) return { cells, fault: null };
    at = end + 1;
  }
}

/** Cuts a text that holds no quotation mark at its delimiters: `split`, but three times as fast on Node 24. */
export function splitPlain(text: string, delimiter: string): string[] {
  const cells: string[] = [];
  let at = 0;
  for (let end = text.indexOf(delimiter); end !== -1; end = text.indexOf(delimiter, at)) {
    cells.push(text.slice(at, end));
    at = end + 1;
  }
  cells.push(text.slice(at));
  return cells;
}

/** Where the quotation mark stands that closes a cell whose content starts at `from`; -1 if none does. */
export function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from);
  // A doubled one is a quotation mark of the content.
  while (at !== -1 && text.charCodeAt(at + 1) === QUOTE) at = text.indexOf('"', at + 2);
  return at;
}

const QUOTE = 0x22;
