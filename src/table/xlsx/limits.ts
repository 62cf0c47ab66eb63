/**
 * What a workbook may have in it, each counted while it grows: a small file can unpack to more than any memory. Most are Excel's own
 * ("Excel specifications and limits"), so that no workbook of Excel's meets them.
 */
export const LIMITS = {
  /** Excel's last row and its last column, XFD. */
  rows: 1_048_576,
  columns: 16_384,
  /** In UTF-16 units. Excel's is 32,767; escapes such as `_x000D_` take several for one, so twice that is let through. */
  textLength: 65_534,
  /** Excel's, of the ways in which cells look. */
  styles: 65_490,
  /** Excel's, of the code of a number format. */
  formatLength: 255,
  /** Excel has none for sheets; a person does not look through more, and each is a file in the archive. */
  sheets: 1_000,
  /** Excel's is 31 for a sheet's name; the path of its part is as short. */
  nameLength: 255,
  /** Shared texts, by what they take of our memory: the names and streets of some half a million buyers. */
  sharedBytes: 80 * 1024 * 1024,
  /** Elements within elements; a sheet has some ten. */
  depth: 64,
  /** Between two elements: a text of the longest with each character written as `&#x1F600;`, and room. */
  silentBytes: 1024 * 1024,
} as const;

/** What a person can do about a workbook that Excel would not have written so. */
export const REMEDY = 'open it in Excel and save it again, or save the sheet as CSV UTF-8';
