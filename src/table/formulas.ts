/**
 * Makes a cell safe for spreadsheets: a text that would run as a formula gets an apostrophe, which marks it as text (OWASP, "CSV
 * Injection"). Numbers, also negative ones, and telephone numbers stay. Reading removes the apostrophe, see {@link withoutTextMark}.
 */
export function harmless(cell: string): string {
  return RUN_AS_FORMULA.test(cell) && !NUMBER.test(cell) ? `'${cell}` : cell;
}

/**
 * Removes what marks a text in a spreadsheet: the apostrophe that spreadsheets and our results put before a text that looks like a formula,
 * and the formula around `="000123"`, with which programs keep the zeros of a number in a CSV file.
 */
export function withoutTextMark(text: string): string {
  const plain = text.startsWith("'") && RUN_AS_FORMULA.test(text.slice(1)) ? text.slice(1) : text;
  return TEXT_FORMULA.exec(plain)?.[1]?.replaceAll('""', '"') ?? plain;
}

/** A formula that is one text alone. */
const TEXT_FORMULA = /^="((?:[^"]|"")*)"$/;

/**
 * Texts that spreadsheets run as formulas. A sign may be full-width (U+FF1D and others), which East Asian spreadsheets accept, or come
 * after blanks and byte order marks, which some programs skip.
 */
const RUN_AS_FORMULA = /^(?:[\t\r\n]|\s*[=+\-@＝＋－＠])/;

/**
 * A sign, then digits with separators: a number or a telephone number, which is no formula. The pattern is unambiguous, so that long texts
 * take linear time.
 */
const NUMBER = /^[ \u00a0\u202f]*[-+](?=\D*\d)[\d.,'’ \u00a0\u202f]*$/;
