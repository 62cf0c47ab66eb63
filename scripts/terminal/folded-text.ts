import { fitted, widthOf } from './width.ts';

/** Breaks a text into lines of so many columns, at spaces, or within a word that has none for long. */
export function foldedText(text: string, columns: number): string[] {
  const lines: string[] = [];
  for (let rest = text; rest !== ''; ) {
    const part = fitted(rest, columns);
    const isWhole = part.length === rest.length || rest[part.length] === ' ';
    const space = isWhole ? -1 : part.lastIndexOf(' ');
    const end = space > 0 && widthOf(part) > SHORTEST ? space : part.length;
    lines.push(rest.slice(0, end).trimEnd());
    rest = rest.slice(end).trimStart();
  }
  return lines;
}

/** Lines are not broken at a space before this column. */
const SHORTEST = 10;
