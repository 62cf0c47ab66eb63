import { likeness } from '../../likeness.ts';
import type { Above } from '../../table/find-header.ts';
import type { RawRecord } from '../../table/records.ts';
import { makeProblem, type Problem } from '../problem.ts';
import { aliasOf } from './aliases.ts';
import { type Column, placeOf } from './column.ts';
import { type HeaderHints, headerScore } from './judge-header.ts';
import { ownNameOf } from './known-columns.ts';
import { ACCOUNT_COLUMN } from './result-columns.ts';
import { thousandsIn } from './thousands-in-title.ts';

/** A table's header and what is around it. */
type HeaderPlace = {
  header: RawRecord;
  above: Above | null;
  /** The record below the header; left out if none was read yet. */
  below?: RawRecord | undefined;
  columns: readonly Column[];
  /** The line that a person named as the header. */
  headerLine?: number | undefined;
  mapping?: Partial<HeaderHints> | undefined;
};

/**
 * Finds what around a header leaves the meaning of the lines open: a second row of names, which would make the columns different ones, or a
 * title or a row of units that says that amounts are in thousands. Each is a problem of the file, since all of its lines would be requested
 * wrongly.
 */
export function doubtsAround(place: HeaderPlace): Problem[] {
  // An errors file of ours contains refused lines and texts of our own.
  if (place.header.cells.includes(ACCOUNT_COLUMN)) return [];
  return [...thousandsAbove(place), ...thousandsBelow(place), ...secondRow(place)];
}

/**
 * Finds a column `name` beside other columns that surely mean a name, as in `Firma;Vorname;Name`: one may be the company's, and the other a
 * person's.
 */
export function namesTwice(line: number, columns: readonly Column[]): Problem[] {
  const own = columns.find(({ known, by }) => known === 'name' && by === 'name');
  const other = columns.find(({ guess, written }) => guess === 'name' && aliasOf(written) === 'name');
  if (!own || !other) return [];
  const words = `say --map "${own.written}=" if it is ${other.written}, or --map "${other.written}=" if it is ${own.written}`;
  const message = `${other.written} and ${own.written} may both be the buyer's name: ${words}.`;
  return [makeProblem(line, own.written, null, message)];
}

/** Where our own `name` has its rest in another column: that is no longer asked for, and said. */
export function restsOfNames(line: number, columns: readonly Column[]): Problem[] {
  const restOf = makeRests(columns);
  return columns.flatMap((column) => {
    const rest = column.by === 'name' && column.known === 'name' ? restOf(column) : null;
    if (!rest || rest.by === 'map') return [];
    const message = `This column may hold the rest of ${column.written}, and is not sent: if it does, join the two in one column.`;
    return [makeProblem(line, rest.written, null, message)];
  });
}

/** Makes a function that finds the column with the rest of a name: `NAME2` beside `NAME1`, `Firma 2` beside `Firma`. */
export function makeRests(columns: readonly Column[]): (column: Column) => Column | null {
  // Read once: a header may have a million names, all of them the same.
  const rests = new Map<string, Column>();
  for (const column of columns) {
    const name = /[2-4]/.test(column.written) ? plain(column.written) : '';
    if (name !== '' && !rests.has(name)) rests.set(name, column);
  }
  return ({ written }) => {
    const first = rests.size === 0 ? '' : plain(written);
    const names = ['2', '3', '4'].map((n) => (first.includes('1') ? first.replace('1', n) : `${first}${n}`));
    return names.map((name) => rests.get(name)).find((column) => column !== undefined) ?? null;
  };
}

/** Whether cells may be the names of columns: those are no numbers, and one alone is a heading. */
export function readsAsNames(cells: readonly string[]): boolean {
  const filled = cells.filter(isFilled);
  return filled.length > 1 && !filled.some(isNumber);
}

/** Whether cells name a table's columns, each in its place, even in other words. */
export function meansTheSame(cells: readonly string[], columns: readonly Column[]): boolean {
  return cells.every((cell, at) => {
    const { written = '', known = null } = columns[at] ?? {};
    return !isFilled(cell) || cell.trim() === written || (ownNameOf(cell) ?? aliasOf(cell.trim()) ?? null) === known;
  });
}

function plain(written: string): string {
  return written.length > MAX_NAME_LENGTH ? '' : likeness(written).replaceAll(' ', '');
}

/** The longest of our tables has some 40 characters. */
const MAX_NAME_LENGTH = 120;

function thousandsAbove({ above, columns }: HeaderPlace): Problem[] {
  const amount = columns.find(({ known }) => known === 'requested_limit');
  // A person who maps the column has seen the text above the header.
  if (!above || amount?.by === 'map') return [];
  for (const text of above.texts) {
    const words = thousandsIn(text);
    if (words === null) continue;
    const column = amount?.written ?? 'HEADER';
    const message = `The text above the header says that amounts are in thousands or millions (${words}), but Limitline sends them exactly as written. Write them in full and delete that text. If they are in full already, say --map "${column}=requested_limit".`;
    return [makeProblem(above.from, null, text, message)];
  }
  return [];
}

function thousandsBelow({ below, columns }: HeaderPlace): Problem[] {
  if (!below || below.fault || below.cells.some(isNumber)) return [];
  const amount = below.cells[placeOf(columns, 'requested_limit')] ?? '';
  const words = below.cells.map(thousandsIn).find((found) => found !== null);
  // `50 TEUR` is an amount, and a problem of its line.
  if (!words || (/\d/.test(amount) && thousandsIn(amount) === null)) return [];
  const message = `The line below the header says that amounts are in thousands or millions (${words}), but Limitline sends them exactly as written. Write them in full and delete that line.`;
  return [makeProblem(below.line, null, below.cells.join(' ').trim(), message)];
}

function secondRow({ header, below, columns, headerLine, mapping }: HeaderPlace): Problem[] {
  if (!below || below.fault || headerLine !== undefined || !readsAsNames(below.cells)) return [];
  const at = placeOf(columns, 'requested_limit');
  // A header without such a column is a problem by itself, and nothing of the file is requested.
  if (at === -1) return [];
  const isSame = meansTheSame(below.cells, columns);
  const score = headerScore(below.cells, mapping);
  const nameless = below.cells.filter((cell, place) => isFilled(cell) && !columns[place]?.written).length;
  // A remark under no name, beside an amount that is none, is a line like others.
  const namesTheGroups = nameless > 0 && (score > 0 || (nameless > 1 && isFilled(below.cells[at] ?? '')));
  if (isSame || !(namesTheGroups || score >= headerScore(header.cells, mapping))) return [];
  const names = below.cells.filter(isFilled).slice(0, MAX_NAMED).join(', ');
  const message = `Line ${below.line} (${names}) reads like a second row of the header: say which of the two names the columns, with --header-line ${below.line} or --header-line ${header.line}.`;
  return [makeProblem(header.line, null, header.cells.filter(isFilled).join(','), message)];
}

/** Enough to recognise a line. */
const MAX_NAMED = 6;

/** An amount, a day, a number with some letters before it: names of columns have more letters, `Address 1`. */
function isNumber(cell: string): boolean {
  return /\d/.test(cell) && cell.replace(/\P{L}/gu, '').length <= MOST_LETTERS;
}

/** Of `HRB 1234` and `EUR 1.000`; `NAME1` has one more. */
const MOST_LETTERS = 3;

function isFilled(cell: string): boolean {
  return cell.trim() !== '';
}
