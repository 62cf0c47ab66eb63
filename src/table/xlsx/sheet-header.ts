import { type Above, aboveOf, findHeader, type GivenHeader, HEADER_WITHIN_LINES } from '../find-header.ts';
import { cellsOf, type SheetRow } from './sheet-rows.ts';

/** The rows of a sheet that were read so far, and how to read on. */
type RowsSoFar = {
  rows: SheetRow[];
  /** Reads on; false when there is nothing left. */
  more(): Promise<boolean>;
};

/**
 * Reads a sheet up to its header, and takes the rows above it away: the row that was named, else the one that names our
 * columns among the first rows. Where nothing of that row or below it is filled, no row is left.
 */
export async function readToHeader({ rows, more }: RowsSoFar, given: GivenHeader): Promise<{ above: Above | null }> {
  const { headerLine, vocabulary } = given;
  const titles: SheetRow[] = [];
  const last = headerLine ?? HEADER_WITHIN_LINES;
  do {
    if (headerLine === undefined) continue;
    // A row far down may be named: those above it are not kept until then.
    const from = rows.findIndex(({ line }) => line >= headerLine);
    titles.push(...rows.splice(0, from === -1 ? rows.length : from).slice(0, TITLES));
  } while ((rows.at(-1)?.line ?? 0) < last && (await more()));
  const first = rows.filter(({ line }) => line <= HEADER_WITHIN_LINES).map(recordOf);
  if (headerLine === undefined) titles.push(...rows.splice(0, findHeader(first, vocabulary)));
  const header = headerLine ?? rows[0]?.line ?? 1;
  return { above: aboveOf(titles.map(recordOf), { from: 1, header }) };
}

/** More than are said. */
const TITLES = 10;

/** A row as a record, without what only a sheet says of it. */
export function recordOf(row: SheetRow) {
  return { line: row.line, cells: cellsOf(row), fault: row.fault };
}
