/** The number of terminal columns of a text: two for wide East Asian characters and emoji, none for combining marks. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += columnsOf(character);
  return width;
}

/** The beginning of the text that fits into so many columns. */
export function fitted(text: string, columns: number): string {
  let width = 0;
  let end = 0;
  for (const character of text) {
    width += columnsOf(character);
    if (width > columns) break;
    end += character.length;
  }
  return text.slice(0, end);
}

/** The width, in columns, at which texts are broken into lines: that of a narrow terminal. */
const COLUMNS = 80;

/** Breaks a text into lines, each with so many spaces in front, at spaces, or within a word that has none for long. */
export function foldedText(text: string, indent = 0): string[] {
  const columns = COLUMNS - indent;
  const lines: string[] = [];
  for (let rest = text; rest !== ''; ) {
    const part = fitted(rest, columns);
    const isWhole = part.length === rest.length || rest[part.length] === ' ';
    const space = isWhole ? -1 : part.lastIndexOf(' ');
    const end = space > 0 && widthOf(part) > SHORTEST ? space : part.length;
    lines.push(`${' '.repeat(indent)}${rest.slice(0, end).trimEnd()}`);
    rest = rest.slice(end).trimStart();
  }
  return lines;
}

function columnsOf(character: string): 0 | 1 | 2 {
  if (character < '\u0300') return 1;
  if (/\p{Mark}|\u200d/u.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

/** East Asian Width W and F (Unicode Standard Annex 11), by Unicode blocks. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{16fe0}-\u{1b2ff}\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

/** The least width of a broken line: it is not broken at a space before this column. */
const SHORTEST = 10;
