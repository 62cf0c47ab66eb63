import { fitted, widthOf } from './width.ts';

/** The lines of a text that fit into so many columns, broken between words, or where there is no space for long. */
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

/** A line is not broken off so near its beginning. */
const SHORTEST = 10;
