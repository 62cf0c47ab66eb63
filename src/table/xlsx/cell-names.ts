/** A cell as Excel names it: place 2 in row 7 is `C7`. */
export function cellName(column: number, line: number): string {
  return `${columnLetters(column)}${line}`;
}

/** The way back: the column of `C7` is 2. What is no name of a cell has a column that no sheet has. */
export function columnOf(name: string): number {
  let column = 0;
  for (const letter of name.slice(0, LONGEST_NAME).replace(/\d+$/, '')) {
    column = column * 26 + letter.charCodeAt(0) - 64;
  }
  return column - 1;
}

/** More than `XFD1048576` has: what is longer is no name, and is not gone through. */
const LONGEST_NAME = 16;

/** A, B … Z, AA … XFD: the letters of a column by its place, from 0. */
function columnLetters(at: number): string {
  const known = letters[at];
  if (known !== undefined) return known;
  const last = String.fromCharCode(65 + (at % 26));
  const made = at < 26 ? last : columnLetters(Math.floor(at / 26) - 1) + last;
  letters[at] = made;
  return made;
}

/** By place: a sheet has few columns and many cells. */
const letters: string[] = [];
