import { fitted, widthOf } from './width.ts';

/** The lines of a text that fit into so many columns, broken between words, or where there is no space for long. */
export function foldedText(text: string, columns: number): string[] {
  const lines: string[] = [];
  for (let rest = text; rest !== ''; ) {
    const part = fitted(rest, columns);
    const space = part.length < rest.length ? part.lastIndexOf(' ') : -1;
    const end = space > 0 && widthOf(part) > SHORTEST ? space : part.length;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return lines;
}

/** A line is not broken off so near its beginning. */
const SHORTEST = 10;
