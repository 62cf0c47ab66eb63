/**
 * The result of reading a cell: the canonical value, or a message with the correction. `change` says how the value
 * differs from the text, if a person would notice. `open` marks a problem that the column's convention would solve.
 */
export type ValueReading = { value: string; change?: string } | { problem: string; open?: true };

/**
 * The mark after an ambiguous amount or date that is copied into another file: `1.234 ?`. In the other file no other cell may decide its
 * meaning; only an option or a corrected cell can.
 */
const MARK = / \?$/;

/** Adds the mark to a cell. */
export function markDoubtful(cell: string): string {
  return MARK.test(cell) ? cell : `${cell.trim()} ?`;
}

/** The text before the mark; null if there is no mark. */
export function beforeDoubt(text: string): string | null {
  return text.endsWith('?') && MARK.test(text) ? text.replace(MARK, '') : null;
}

/** The problem of a marked cell while no option decides its meaning. */
export const DOUBT =
  'The question mark marks a value that was ambiguous in its original file: say SETTING, or write it so that it can mean one thing only, without the question mark.';

/** Why a column does not tell what an ambiguous cell means. `contradiction`: the cells that contradict each other. */
export function tellsNot(what: 'amount' | 'date', contradiction: string | undefined): string {
  if (contradiction === undefined) return `no other ${what} of the column tells which`;
  return `the ${what}s of the column that tell which disagree, ${contradiction}`;
}
