import { likeness } from '../../likeness.ts';
import type { RawRecord } from '../../table/records.ts';
import { makeProblem, type Problem } from '../problem.ts';
import { isTotalLabel } from '../values/total-words.ts';
import type { Column } from './column.ts';
import { doubtsOfCurrencies } from './doubtful-currencies.ts';
import { doubtsOfStates } from './doubtful-states.ts';

/** Lines by which columns are judged. */
export const LINES_JUDGED = 32;

/** Whether a column was taken for the name only because of its header: its cells then have to look like names. */
function isNameByHeader({ known, by }: Column): boolean {
  return known === 'name' && by === 'alias';
}

/**
 * The problems that the cells of the first lines contradict what the header says of the columns.
 *
 * @param records the first lines of the file
 */
export function doubtsOfCells(line: number, columns: readonly Column[], records: readonly RawRecord[]): Problem[] {
  return [doubtsOfNames, doubtsOfCurrencies, doubtsOfStates].flatMap((doubtsOf) => doubtsOf(line, columns, records));
}

/**
 * The problem that a column was taken for the name by its header, and its cells look like numbers, or another column may hold the names: each
 * line would be requested for a buyer that nobody knows.
 *
 * @param records the first lines of the file
 */
function doubtsOfNames(line: number, columns: readonly Column[], records: readonly RawRecord[]): Problem[] {
  const taken = columns.find(isNameByHeader);
  if (!taken) return [];
  const sound = records.filter(({ fault }) => !fault);
  const cellsOf = ({ index }: Column) => sound.map(({ cells }) => (cells[index] ?? '').trim());
  const names = cellsOf(taken);
  const filled = names.filter((cell) => cell !== '' && !isTotalLabel(cell));
  const others = columns.filter(({ known, extra, by }) => known === null && extra === undefined && by === null);
  const code = filled.find(isCode);
  if (code !== undefined && most(filled, isCode)) {
    const isOther = (column: Column) => holdsNames(cellsOf(column).filter((_cell, at) => isCode(names[at] ?? '')));
    const other =
      others.find((column) => column.guess === 'name' && isOther(column)) ??
      others.find((column) => likeness(column.written).startsWith(`${likeness(taken.written)} `) && isOther(column));
    const number = columns.some(({ known }) => known === 'buyer_reference') ? '' : 'buyer_reference';
    const where = other
      ? `If the names are in ${other.written}, say --map "${other.written}=name" --map "${taken.written}=${number}".`
      : 'If the names are in another column, say with --map "HEADER=name" which column it is.';
    const message = `The cells of this column, such as ${code}, read like numbers and not like names of buyers. ${where} If these are the names, say --map "${taken.written}=name".`;
    return [makeProblem(line, taken.written, null, message)];
  }
  const own = sameInAll(filled);
  const varied = own === null ? undefined : others.find((column) => areVariedNames(cellsOf(column)));
  if (own !== null && varied) {
    const message = `All of the first ${filled.length} lines have ${own} in this column, so it may be your own company and no buyer. If the buyers are in ${varied.written}, say --map "${varied.written}=name" --map "${taken.written}=". If ${own} is the buyer, say --map "${taken.written}=name".`;
    return [makeProblem(line, taken.written, null, message)];
  }
  const rival = others.find((column) => column.guess === 'name' && rivals(names, cellsOf(column)));
  if (!rival) return [];
  const message = `${taken.written} and ${rival.written} may both be the buyer's name. If it is ${taken.written}, say --map "${rival.written}="; if it is ${rival.written}, say --map "${rival.written}=name" --map "${taken.written}=".`;
  return [makeProblem(line, taken.written, null, message)];
}

/** The name that all of these lines have; null if they have several, or are too few to tell. */
function sameInAll(names: readonly string[]): string | null {
  const [first = ''] = names;
  return names.length >= LEAST_ALIKE && names.every((name) => name === first) ? first : null;
}

/** Lines with one name before another column is asked about: a buyer may well have two. */
const LEAST_ALIKE = 3;

/** Whether a column has a text with letters in nearly every line, and another one in each: remarks and states of an account repeat. */
function areVariedNames(cells: readonly string[]): boolean {
  return (
    holdsNames(cells) && most(cells, (cell) => /\p{L}{2}/u.test(cell)) && new Set(cells).size * 4 >= cells.length * 3
  );
}

/** Whether the cells are names other than those beside them. Search terms are the beginning of a name: `ZOBEL` of `Zobel AG`. */
function rivals(names: readonly string[], cells: readonly string[]): boolean {
  const isOther = (cell: string, at: number) =>
    cell !== '' && !isCode(cell) && !likeness(names[at] ?? '').startsWith(likeness(cell));
  return most(cells, isOther);
}

const holdsNames = (cells: readonly string[]): boolean => most(cells, (cell) => cell !== '' && !isCode(cell));

/** Whether it holds of at least three in four. A few lines are notes, or have no cell. */
function most(cells: readonly string[], holds: (cell: string, at: number) => boolean): boolean {
  return cells.length > 0 && cells.filter(holds).length * 4 >= cells.length * 3;
}

/** Whether a text is a number, with a few letters before it and one behind: `10001`, `K008`, `CUST-1001`, `DE 1001a`. `3M` and `O2` are names. */
function isCode(text: string): boolean {
  return DIGITS.test(text) || (LETTERED.test(text) && text.replace(/\D/g, '').length > 1);
}

const DIGITS = /^\d[\d ./_-]*$/;
const LETTERED = /^(?:\p{L}{0,2}[ ./_-]?|\p{L}{3,5}[_-]?)\d[\d./_-]*\p{L}?$/u;
