/**
 * Limits for a workbook's content, checked while reading: a small file can unpack to more than any memory. Most are
 * Excel's own ("Excel specifications and limits"), so Excel's workbooks never exceed them.
 */
export const LIMITS = {
  /** Most rows, as in Excel; and most columns, up to XFD. */
  rows: 1_048_576,
  columns: 16_384,
  /** Most UTF-16 units of a text: twice Excel's 32,767, because an escape such as `_x000D_` takes several for one character. */
  textLength: 65_534,
  /** Excel's limit for cell formats. */
  styles: 65_490,
  /** Excel's limit for a number format's code. */
  formatLength: 255,
  /** Most sheets. Excel has no limit, but a person does not look through more, and each sheet is a file in the archive. */
  sheets: 1_000,
  /** Most characters of a sheet's name, of which Excel allows 31, and of a part's path. */
  nameLength: 255,
  /** Most bytes of memory for shared texts: enough for the names and streets of some half a million buyers. */
  sharedBytes: 80 * 1024 * 1024,
  /** Most levels of nested elements; a sheet has some ten. */
  depth: 64,
  /** Most bytes between two elements: those of the longest text with each character written as `&#x1F600;`. */
  silentBytes: 1024 * 1024,
} as const;

/** The advice for a workbook that Excel would not have written. */
export const REMEDY = 'open it in Excel and save it again, or save the sheet as CSV UTF-8';
