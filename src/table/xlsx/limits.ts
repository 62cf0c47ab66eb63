/**
 * Limits for a workbook's content, checked while reading: a small file can unpack to more than any memory. Most are
 * Excel's own ("Excel specifications and limits"), so Excel's workbooks never exceed them.
 */
export const LIMITS = {
  /** Excel's number of rows, and of columns up to XFD. */
  rows: 1_048_576,
  columns: 16_384,
  /** In UTF-16 units: twice Excel's 32,767, because an escape such as `_x000D_` takes several for one. */
  textLength: 65_534,
  /** Excel's limit for cell formats. */
  styles: 65_490,
  /** Excel's limit for a number format's code. */
  formatLength: 255,
  /** Excel has no limit. A person does not look through more, and each sheet is a file in the archive. */
  sheets: 1_000,
  /** Excel allows 31 for a sheet's name. Paths of parts are short, too. */
  nameLength: 255,
  /** Memory for shared texts: the names and streets of some half a million buyers. */
  sharedBytes: 80 * 1024 * 1024,
  /** Nesting of elements; a sheet has some ten levels. */
  depth: 64,
  /** Bytes between two elements: the longest text with each character written as `&#x1F600;`. */
  silentBytes: 1024 * 1024,
} as const;

/** The advice for a workbook that Excel would not have written. */
export const REMEDY = 'open it in Excel and save it again, or save the sheet as CSV UTF-8';
