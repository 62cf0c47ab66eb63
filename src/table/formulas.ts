/**
 * The cell as it may be opened in a spreadsheet: one that would be run as a formula is given the apostrophe by which
 * spreadsheets mark text (OWASP, "CSV Injection"). Numbers stay numbers, negative ones too, and telephone numbers stay
 * as they are. Reading takes the apostrophe off again, see {@link withoutApostrophe}.
 */
export function harmless(cell: string): string {
  return RUN_AS_FORMULA.test(cell) && !NUMBER.test(cell) ? `'${cell}` : cell;
}

/** The text without the apostrophe by which spreadsheets, and our own results, keep it from being run as a formula. */
export function withoutApostrophe(text: string): string {
  return text.startsWith("'") && RUN_AS_FORMULA.test(text.slice(1)) ? text.slice(1) : text;
}

/**
 * In full width, too (U+FF1D and its like): spreadsheets of East Asia take them for the others. And behind blanks and byte order
 * marks, which some leave out.
 */
const RUN_AS_FORMULA = /^(?:[\t\r\n]|\s*[=+\-@＝＋－＠])/;

/** A sign, then digits and what separates them: nothing that could be computed. In one way only, so that a long one takes no longer. */
const NUMBER = /^[ \u00a0\u202f]*[-+](?=\D*\d)[\d.,'’ \u00a0\u202f]*$/;
