/** A cell's name in Excel: column 2 in row 7 is `C7`. */
export function cellName(column: number, line: number): string {
  return `${columnLetters(column)}${line}`;
}

/** The inverse: the column of `C7` is 2. An invalid name gives a column that no sheet has. */
export function columnOf(name: string): number {
  let column = 0;
  for (const letter of name.slice(0, LONGEST_NAME).replace(/\d+$/, '')) {
    column = column * 26 + letter.charCodeAt(0) - 64;
  }
  return column - 1;
}

/** Longer than `XFD1048576`. Longer texts are no names and are not read further. */
const LONGEST_NAME = 16;

/** A, B … Z, AA … XFD: the letters of a column by its index, from 0. */
function columnLetters(at: number): string {
  const known = letters[at];
  if (known !== undefined) return known;
  const last = String.fromCharCode(65 + (at % 26));
  const made = at < 26 ? last : columnLetters(Math.floor(at / 26) - 1) + last;
  letters[at] = made;
  return made;
}

/** A cache: a sheet has few columns and many cells. */
const letters: string[] = [];
