import { cutText } from '../cut-text.ts';

/**
 * A problem of one cell, one line or the whole file. `line` is the physical line on which the record starts; the header
 * is usually line 1. 0 means the whole file.
 */
export type Problem = {
  line: number;
  /** The column as the header writes it; null means the whole line. */
  column: string | null;
  /** The text with the problem: 80 characters at most, control characters replaced. */
  value: string | null;
  /** The problem and its correction, for a finance person. */
  message: string;
};

/** A cell whose value is sent in another form than the file has it. */
export type CellChange = {
  line: number;
  /** The column as the header writes it. */
  column: string;
  /** The cell's text and the value that is sent: 80 characters at most of each, control characters replaced. */
  value: string;
  became: string;
  /** The reason, for a finance person. */
  message: string;
};

/** Most characters of a quoted value: enough to find the cell again. A whole broken line would hide the message. */
const MAX_VALUE_LENGTH = 80;

/** The line number of a problem of the whole file. */
export const WHOLE_FILE = 0;

/** Builds a problem. The value is cut and made safe to show; an empty value becomes null. */
export function makeProblem(line: number, column: string | null, value: string | null, message: string): Problem {
  return { line, column, value: value ? shown(value) : null, message };
}

/** Builds a change. Both texts are cut and made safe to show. */
export function makeChange(
  where: { line: number; column: string },
  { value, became, message }: Pick<CellChange, 'value' | 'became' | 'message'>,
): CellChange {
  return { ...where, value: shown(value), became: shown(became), message };
}

/** The text cut to 80 characters and made safe to show. */
const shown = (value: string): string => visible(cutText(value, MAX_VALUE_LENGTH));

/** The text made safe to show, on one line: damaged bytes become U+FFFD, control characters become their symbols. */
export function visible(text: string): string {
  // A lone surrogate is a damaged byte (`src/table/encodings/utf8.ts`).
  return text.toWellFormed().replace(CONTROL, picture);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds control characters.
const CONTROL = /[\0-\x1f\x7f-\x9f]/g;

/** The symbol of a control character, from Unicode's Control Pictures: U+2400 onwards for C0, U+2421 for DEL; C1 has none. */
function picture(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? '\u2421' : '\ufffd';
}
