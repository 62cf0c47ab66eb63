/**
 * What is wrong with one cell, one line or the whole file.
 * `line` is the physical line on which the record starts, the header's as a rule being 1; 0 where the file as a whole is meant.
 */
export type Problem = {
  line: number;
  /** The column as the header writes it; null where the whole line is meant. */
  column: string | null;
  /** The text in question, at most 80 characters of it, fit for a terminal. */
  value: string | null;
  /** What is wrong and what would be right, in words for a finance person. */
  message: string;
};

/** A cell that is sent otherwise than it was written. */
export type CellChange = {
  line: number;
  /** The column as the header writes it. */
  column: string;
  /** What the file has, and what it is taken for; at most 80 characters of each, fit for a terminal. */
  value: string;
  became: string;
  /** Why, in words for a finance person. */
  message: string;
};

/** Enough to find the cell again; a whole broken line would drown the sentence about it. */
const MAX_VALUE_LENGTH = 80;

/** In the place of a line where the file as a whole is meant. */
export const WHOLE_FILE = 0;

/** Makes a problem of it, with the value cut and made fit for a terminal. Empty values are given as null. */
export function makeProblem(line: number, column: string | null, value: string | null, message: string): Problem {
  return { line, column, value: value ? shown(value) : null, message };
}

/** Makes a change of it, with both texts cut and made fit for a terminal. */
export function makeChange(
  where: { line: number; column: string },
  { value, became, message }: Pick<CellChange, 'value' | 'became' | 'message'>,
): CellChange {
  return { ...where, value: shown(value), became: shown(became), message };
}

/** The text as one may show it: what is not UTF-8 as U+FFFD, control characters as their pictures, 80 characters. */
function shown(value: string): string {
  const cut = value.length > MAX_VALUE_LENGTH ? `${value.slice(0, MAX_VALUE_LENGTH - 1)}…` : value;
  return visible(cut);
}

/** The whole text as one may show it: on one line, what is not UTF-8 as U+FFFD, control characters as their pictures. */
export function visible(text: string): string {
  // A lone surrogate stands for a damaged byte (`src/table/encodings/damage.ts`), or is half of a pair that a cut left over.
  return text.toWellFormed().replace(CONTROL, picture);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const CONTROL = /[\0-\x1f\x7f-\x9f]/g;

/** Unicode's Control Pictures: U+2400 onwards for C0, U+2421 for DEL; C1 has none. */
function picture(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? '\u2421' : '\ufffd';
}
