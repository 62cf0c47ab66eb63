/** Most UTF-16 units of a record: more than any buyer needs, and a bound on the memory for a record that never ends. */
export const MAX_RECORD_LENGTH = 1024 * 1024;

/** One line of the file, numbered as in an editor. */
export type PhysicalLine = {
  /** The line's number, from 1. */
  line: number;
  /** The line's text, without the line break. */
  text: string;
  /** False if the line is longer than `MAX_RECORD_LENGTH`: then `text` is only its start. */
  whole: boolean;
  /** Whether the text ends within this line, without a line break. */
  isUnended: boolean;
};

/** Splits a text that comes in chunks into lines: `peek` shows the current one, `pass` moves on. CR, LF and CRLF each end a line. */
export function makePhysicalLines() {
  let text = '';
  let at = 0;
  let due = -1;
  let line = 1;
  let ended = false;
  /** The start of a line that is too long; the rest of that line is discarded. */
  let dropped: string | null = null;
  // The next LF and CR from `at` on. They are kept, because searching a CR that never comes takes a pass over the text.
  let nextLf = -1;
  let nextCr = -1;

  /** The index at which the current line ends; -1 while it is unknown. */
  function dueEnd(): number {
    if (nextLf < at) nextLf = indexOrLength(text, '\n', at);
    if (nextCr < at) nextCr = indexOrLength(text, '\r', at);
    return sureEnd(text, Math.min(nextLf, nextCr), ended);
  }

  return {
    feed(more: string): void {
      text = text.slice(at) + more;
      at = 0;
      nextLf = -1;
      nextCr = -1;
    },
    /** Marks the end of the text. */
    end(): void {
      ended = true;
    },
    /** The current line; null if the text so far has no further complete line. */
    peek(): PhysicalLine | null {
      if (at === text.length && !(ended && dropped !== null)) return null;
      due = dueEnd();
      if (due === -1) {
        if (dropped === null && text.length - at <= MAX_RECORD_LENGTH) return null;
        dropped ??= text.slice(at, at + KEPT_LENGTH);
        at = text.endsWith('\r') ? text.length - 1 : text.length;
        return null;
      }
      const tooLong = dropped !== null || due - at > MAX_RECORD_LENGTH;
      const shown = dropped ?? text.slice(at, tooLong ? at + KEPT_LENGTH : due);
      return { line, text: shown, whole: !tooLong, isUnended: due === text.length };
    },
    /**
     * The text from the current line, which has an odd number of quotation marks, to the end of the first line that makes
     * the number even. null if there is none within `MAX_RECORD_LENGTH`, 'unsure' if more text is needed.
     */
    throughQuotes(): string | 'unsure' | null {
      const end = evenEnd(text, at, ended);
      if (end === -1) return ended || text.length - at > MAX_RECORD_LENGTH ? null : 'unsure';
      return end - at > MAX_RECORD_LENGTH ? null : text.slice(at, end);
    },
    /** Moves past the current line, or past all lines of `text`, which starts with it. */
    pass(lines?: string): void {
      if (lines !== undefined) {
        due = at + lines.length;
        line += lines.split(LINE_BREAK).length - 1;
      }
      at = text.startsWith('\r\n', due) ? due + 2 : Math.min(due + 1, text.length);
      line += 1;
      dropped = null;
    },
  };
}

/** Matches the end of a line. */
export const LINE_BREAK = /\r\n|\r|\n/;

/** Characters that are kept of a line that is too long, for the results file. */
const KEPT_LENGTH = 1024;

/** The index of a line's end; -1 if further text may change it, because a CR may be half of a CRLF. */
function sureEnd(text: string, end: number, ended: boolean): number {
  const sure = end < text.length && (text.charCodeAt(end) !== CR || end + 1 < text.length);
  return sure || ended ? end : -1;
}

const CR = 0x0d;

/** The index of the end of the first later line at which quotation marks are paired; -1 if there is none. */
function evenEnd(text: string, at: number, ended: boolean): number {
  let end = -1;
  for (let first = text.indexOf('"', at); first !== -1; ) {
    const second = text.indexOf('"', first + 1);
    if (second === -1) break;
    if (end < second) end = anyLineEnd(text, second);
    first = text.indexOf('"', second + 1);
    if (first === -1 || first > end) return sureEnd(text, end, ended);
  }
  return -1;
}

function anyLineEnd(text: string, from: number): number {
  const pattern = /[\r\n]/g;
  pattern.lastIndex = from;
  return pattern.exec(text)?.index ?? text.length;
}

/** The index of the wanted text from an index on; the length of the whole text where it does not come any more. */
export function indexOrLength(text: string, wanted: string, from: number): number {
  const found = text.indexOf(wanted, from);
  return found === -1 ? text.length : found;
}
