/**
 * `1.234 ?`: what stands behind an amount or a day that its column left open, where it is written into another file. No
 * other cell there decides it then: only who says how the column is written does, or who mends the cell.
 */
const MARK = / \?$/;

/** The cell with the mark. */
export function markDoubtful(cell: string): string {
  return MARK.test(cell) ? cell : `${cell.trim()} ?`;
}

/** The text before the mark; null where there is none. */
export function beforeDoubt(text: string): string | null {
  return text.endsWith('?') && MARK.test(text) ? text.replace(MARK, '') : null;
}

/** What is wrong with a marked cell while nobody says how its column is written. */
export const DOUBT =
  'The question mark says that it was unclear in the file that it comes from: say SETTING, or write it so that it can mean one thing only, without the question mark.';
