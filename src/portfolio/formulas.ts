/**
 * The cell as it may be opened in a spreadsheet: one that would be run as a formula is given the apostrophe by which
 * spreadsheets mark text (OWASP, "CSV Injection"). Numbers stay numbers, negative ones too, and telephone numbers stay
 * as they are. Reading takes the apostrophe off again, see `read-cells.ts`.
 */
export function harmless(cell: string): string {
  return RUN_AS_FORMULA.test(cell) && !NUMBER.test(cell) ? `'${cell}` : cell;
}

const RUN_AS_FORMULA = /^[=+\-@\t\r\n]/;

/** Digits and what separates them: nothing that could be computed. */
const NUMBER = /^[-+]?[\d.,'’ \u00a0\u202f]*\d[\d.,'’ \u00a0\u202f]*$/;
