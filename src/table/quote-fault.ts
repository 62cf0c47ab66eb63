/** A fault of a record's quotation marks. */
export type QuoteFault = {
  /**
   * `unclosed`: a cell's opening quotation mark is never closed. `stray`: a cell that opens without one contains one.
   * `trailing`: text follows the closing one before the next delimiter.
   */
  kind: 'unclosed' | 'stray' | 'trailing';
  /** The cell's start in the text. */
  at: number;
};

/**
 * Finds the first misplaced quotation mark of a record (RFC 4180, section 2, rules 5 to 7); null in a sound record.
 * Nothing is tolerated: a wrong guess may move an amount to another buyer.
 *
 * @param text the record without its final line break.
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

/** Whether a line has an odd number of quotation marks. Only then can it open a cell that closes on a later line. */
export function hasOddQuotes(line: string): boolean {
  let isOdd = false;
  for (let at = line.indexOf('"'); at !== -1; at = line.indexOf('"', at + 1)) isOdd = !isOdd;
  return isOdd;
}

/** The index of the quotation mark that closes a cell whose content starts at `from`; -1 if there is none. */
function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from);
  // A doubled quotation mark is part of the content.
  while (at !== -1 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at;
}
