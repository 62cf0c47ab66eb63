/** What is wrong with a record's quotation marks. */
export type QuoteFault = {
  /**
   * `unclosed`: a cell opens with a quotation mark and the text ends before it closes; `stray`: one is inside a
   * cell that does not open with one; `trailing`: text is between the closing one and the next delimiter.
   */
  kind: 'unclosed' | 'stray' | 'trailing';
  /** Where the cell starts in the text. */
  at: number;
};

/**
 * Finds the first quotation mark of one record that is where it may not be (RFC 4180, section 2, rules 5 to 7); null in
 * a sound record. Nothing is forgiven: a guess about a quotation mark may move an amount to another buyer.
 *
 * @param text the record without the line break that ends it.
 * @param delimiter the one character between cells.
 */
export function findQuoteFault(text: string, delimiter: string): QuoteFault | null {
  for (let at = 0, end = 0; ; at = end + 1) {
    if (text[at] === '"') {
      const close = closingQuote(text, at + 1);
      if (close === -1) return { kind: 'unclosed', at };
      end = close + 1;
      if (end < text.length && text[end] !== delimiter) return { kind: 'trailing', at };
    } else {
      end = text.indexOf(delimiter, at);
      if (end === -1) end = text.length;
      if (text.slice(at, end).includes('"')) return { kind: 'stray', at };
    }
    if (end === text.length) return null;
  }
}

/**
 * Whether a line has an odd number of quotation marks: a cell that it opens, and that closes further below, gives it one
 * more, and every sound record has as many that open as that close.
 */
export function hasOddQuotes(line: string): boolean {
  let isOdd = false;
  for (let at = line.indexOf('"'); at !== -1; at = line.indexOf('"', at + 1)) isOdd = !isOdd;
  return isOdd;
}

/** Where the quotation mark is that closes a cell whose content starts at `from`; -1 if none does. */
function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from);
  // A doubled one is a quotation mark of the content.
  while (at !== -1 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at;
}
