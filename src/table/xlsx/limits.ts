/**
 * The most that a workbook may contain. Each limit is checked while reading, because a small file can unpack to more than any memory. Most
 * limits are Excel's own ("Excel specifications and limits"), so Excel cannot write a workbook that exceeds them.
 */
export const LIMITS = {
  /** Excel's last row and its last column, XFD. */
  rows: 1_048_576,
  columns: 16_384,
  /** In UTF-16 units. Excel's limit is 32,767. An escape such as `_x000D_` needs several units for one character, so twice as many are allowed. */
  textLength: 65_534,
  /** Excel's limit for cell styles. */
  styles: 65_490,
  /** Excel's limit for the code of a number format. */
  formatLength: 255,
  /** Excel has no limit for sheets. Nobody reads through more, and each sheet is a file in the archive. */
  sheets: 1_000,
  /** Excel's limit for a sheet's name is 31; the path of its part is about as short. */
  nameLength: 255,
  /** Memory for shared texts: enough for the names and streets of about half a million buyers. */
  sharedBytes: 80 * 1024 * 1024,
  /** Nesting depth of XML elements; a sheet has about ten levels. */
  depth: 64,
  /** Bytes between two elements: the longest text with each character written as `&#x1F600;`, and some more. */
  silentBytes: 1024 * 1024,
} as const;

/** What to do about a workbook that Excel would not have written. */
export const REMEDY = 'open it in Excel and save it again, or save the sheet as CSV UTF-8';
