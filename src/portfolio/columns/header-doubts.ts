import { likeness } from '../../likeness.ts';
import type { Delimiter } from '../../table/dialect.ts';
import type { Above, HeaderJudgement, Vocabulary } from '../../table/find-header.ts';
import type { RawRecord } from '../../table/records.ts';
import { makeProblem, type Problem } from '../problem.ts';
import { isThousands, isThousandsOfMoney, saysThousands } from '../values/amount-unit.ts';
import { namesCurrency } from '../values/currencies.ts';
import { aliasOf, headerMeaningOf } from './aliases.ts';
import { type Column, placeOf } from './column.ts';
import { NEEDED, ownNameOf } from './known-columns.ts';
import { type Mapping, matchMapping } from './mapping.ts';
import { ACCOUNT_COLUMN } from './result-columns.ts';

/** The parts of a mapping that help to recognize a header. */
type HeaderHints = Pick<Mapping, 'columns' | 'constants'>;

/** The vocabulary by which readers of tables recognize a header of buyers. @param hints what a person said of the columns */
export function vocabularyOf(hints?: Partial<HeaderHints>): Vocabulary {
  return { judgeHeader: (record) => judgeHeader(record, hints), saysThousands, namesCurrency };
}

/**
 * How likely a record is a header. Below another record, a header must name two known columns, one of them needed: one cell of a list of
 * buyers may happen to equal a column name.
 */
export function judgeHeader(
  { cells, fault }: Pick<RawRecord, 'cells' | 'fault'>,
  hints: Partial<HeaderHints> = {},
): HeaderJudgement {
  const { columns = {}, constants = {} } = hints;
  const certain = new Set<string>();
  const possible = new Set<string>();
  const written = cells.map((cell) => cell.trim());
  const { entryOf } = matchMapping(written, columns);
  // A header of a million cells is refused elsewhere; known columns are among the first.
  for (const cell of written.slice(0, MAX_CELLS)) {
    if (cell === '' || cell.length > MAX_NAME_LENGTH) continue;
    const entry = entryOf(cell);
    const own = ownNameOf(cell);
    const { known, guess } = entry || own ? { known: entry?.means ?? own, guess: null } : headerMeaningOf(cell);
    if (known) certain.add(known);
    else if (guess) possible.add(guess);
  }
  const needed = NEEDED.filter((name) => constants[name] === undefined);
  const named = new Set([...certain, ...possible]);
  return {
    score: certain.size + (named.size - certain.size) / 2,
    isComplete: fault === null && needed.length > 0 && needed.every((name) => certain.has(name)),
    canBe: fault === null && named.size > 1 && needed.some((name) => named.has(name)),
  };
}

/** How many known columns a header's cells name. Guesses count half. */
function headerScore(cells: string[], hints?: Partial<HeaderHints>): number {
  return judgeHeader({ cells, fault: null }, hints).score;
}

/** Most cells of a header that are compared: Excel allows 16,384 columns. */
const MAX_CELLS = 16_384;

/** Most characters of a column name. The longest name in the tables has some 40, and a longer text is no column name. */

/** A table's header and its surroundings. */
type HeaderPlace = {
  header: RawRecord;
  above: Above | null;
  /** The record below the header; undefined if none was read yet. */
  below?: RawRecord | undefined;
  columns: readonly Column[];
  delimiter: Delimiter;
  /** The header's line, if a person gave it. */
  headerLine?: number | undefined;
  /** The name of a workbook's sheet. */
  sheet?: string | undefined;
  /** The columns that a sheet hides, as first and last index. */
  hiddenColumns?: readonly (readonly [from: number, to: number])[] | undefined;
  /** Whether it is a file of results, whose names and amounts were sent before. */
  results?: boolean | undefined;
  mapping?: Partial<HeaderHints> | undefined;
};

/**
 * Problems around a header that leave the meaning of all lines open: a second row of names, which would change the
 * columns, a title or row of units in thousands or millions, and another list above. These are problems of the file: read all the same,
 * each line might be requested wrongly, and the buyers of the other list would be requested by nobody.
 */
export function doubtsAround(place: HeaderPlace): Problem[] {
  // An errors file is exempt: below its header are refused lines with Limitline's messages, and no second row of names.
  if (place.header.cells.includes(ACCOUNT_COLUMN)) return [];
  return [
    ...listAbove(place),
    ...thousandsAbove(place),
    ...thousandsBelow(place),
    ...secondRow(place),
    ...hidden(place),
  ];
}

/**
 * The problem that a header has a column `name` and another one whose name certainly means the buyer's name, as in `Firma;Vorname;Name`.
 * One may be the company's name and the other a person's.
 */
export function namesTwice(line: number, columns: readonly Column[]): Problem[] {
  const own = columns.find(({ known, by }) => known === 'name' && by === 'name');
  const other = columns.find(({ guess, written }) => guess === 'name' && aliasOf(written) === 'name');
  if (!own || !other) return [];
  const words = `say --map "${own.written}=" if it is ${other.written}, or --map "${other.written}=" if it is ${own.written}`;
  const message = `${other.written} and ${own.written} may both be the buyer's name: ${words}.`;
  return [makeProblem(line, own.written, null, message)];
}

/** A warning where `name` may continue in another column. It is no question, because `name` is certain. */
export function restsOfNames(line: number, columns: readonly Column[]): Problem[] {
  const restOf = makeRests(columns);
  return columns.flatMap((column) => {
    const rest = column.by === 'name' && column.known === 'name' ? restOf(column) : null;
    if (!rest || rest.by === 'map') return [];
    const message = `This column may hold the rest of ${column.written}, and is not sent: if it does, join the two in one column.`;
    return [makeProblem(line, rest.written, null, message)];
  });
}

/** Builds the lookup of a name's second column: `NAME2` beside `NAME1`, `Firma 2` beside `Firma`. */
export function makeRests(columns: readonly Column[]): (column: Column) => Column | null {
  // One pass over the columns, because a header may have a million equal names.
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

/** Whether cells may be column names: there are several, and none is a number. */
export function readsAsNames(cells: readonly string[]): boolean {
  const filled = cells.filter(isFilled);
  return filled.length > 1 && !filled.some(isNumber);
}

/** Whether cells name the same columns in the same order, in whatever words. */
export function meansTheSame(cells: readonly string[], columns: readonly Column[]): boolean {
  return cells.every((cell, at) => {
    const { written = '', known = null } = columns[at] ?? {};
    return !isFilled(cell) || cell.trim() === written || (ownNameOf(cell) ?? aliasOf(cell.trim()) ?? null) === known;
  });
}

/**
 * The words by which a title puts amounts in thousands or millions, `TEUR` of `Limits Q4 (alle Beträge in TEUR)`; null
 * if there are none. A count is no unit: `Kunden über 2 Mio. EUR`, `Thousand Oaks Ltd`.
 */
export function thousandsIn(text: string): string | null {
  for (const part of text.slice(0, MAX_LENGTH).split(/[()[\]{};|：]|:(?=\p{L})/u)) {
    const words = part.split(/[\s_]+/).filter((word) => word !== '');
    for (const at of words.keys()) {
      const found = unitAt(words, at);
      if (found !== null) return found;
    }
  }
  return null;
}

function plain(written: string): string {
  return written.length > MAX_NAME_LENGTH ? '' : likeness(written).replaceAll(' ', '');
}

/** Most characters of a column name. The longest name in the tables has some 40, and a longer text is no column name. */
const MAX_NAME_LENGTH = 120;

/** Lines above the header that read like buyers: they would be requested by nobody, and in no count. */
function listAbove({ above, header, headerLine }: HeaderPlace): Problem[] {
  if (above?.list === undefined || headerLine !== undefined) return [];
  const message = `From this line on, the lines above the header on line ${header.line} read like a list of their own, and they are not read: put them into a file of their own. If they are no buyers, say --header-line ${header.line}.`;
  return [makeProblem(above.list, null, null, message)];
}

function thousandsAbove({ above, columns, header, sheet = '' }: HeaderPlace): Problem[] {
  const amount = columns.find(({ known }) => known === 'requested_limit');
  // A person who mapped the amount column has seen the text above the header, so there is no doubt left.
  if (amount?.by === 'map') return [];
  const inFull = `If they are in full already, say --map "${amount?.written ?? 'HEADER'}=requested_limit".`;
  for (const text of above?.texts ?? []) {
    const words = thousandsIn(text);
    if (words === null) continue;
    const message = `The text above the header says that amounts are in thousands or millions (${words}), but Limitline sends them exactly as written. Write them in full and delete that text. ${inFull}`;
    return [makeProblem(above?.from ?? header.line, null, text, message)];
  }
  const words = thousandsIn(sheet);
  if (words === null) return [];
  const message = `The sheet's name says that amounts are in thousands or millions (${words}), but Limitline sends them exactly as written. Write them in full and rename the sheet. ${inFull}`;
  return [makeProblem(header.line, null, sheet, message)];
}

function thousandsBelow({ below, columns }: HeaderPlace): Problem[] {
  if (!below || below.fault || below.cells.some(isNumber)) return [];
  const amount = below.cells[placeOf(columns, 'requested_limit')] ?? '';
  const words = below.cells.map(thousandsIn).find((found) => found !== null);
  // A cell such as `50 TEUR` is an amount and no heading; it becomes a problem of its own line.
  if (!words || (/\d/.test(amount) && thousandsIn(amount) === null)) return [];
  const message = `The line below the header says that amounts are in thousands or millions (${words}), but Limitline sends them exactly as written. Write them in full and delete that line.`;
  return [makeProblem(below.line, null, below.cells.join(' ').trim(), message)];
}

function secondRow({ header, below, columns, delimiter, headerLine, mapping }: HeaderPlace): Problem[] {
  if (!below || below.fault || headerLine !== undefined || !readsAsNames(below.cells)) return [];
  const at = placeOf(columns, 'requested_limit');
  // A header without the amount column is a problem of its own, and nothing is requested.
  if (at === -1) return [];
  const isSame = meansTheSame(below.cells, columns);
  const score = headerScore(below.cells, mapping);
  const nameless = below.cells.filter((cell, place) => isFilled(cell) && !columns[place]?.written).length;
  // A line with an invalid amount and a single cell without a column name is an ordinary line with a remark.
  const namesTheGroups = nameless > 0 && (score > 0 || (nameless > 1 && isFilled(below.cells[at] ?? '')));
  if (isSame || !(namesTheGroups || score >= headerScore(header.cells, mapping))) return [];
  const names = below.cells.filter(isFilled).slice(0, MAX_NAMED).join(', ');
  const message = `Line ${below.line} (${names}) reads like a second row of the header: say which of the two names the columns, with --header-line ${below.line} or --header-line ${header.line}.`;
  return [makeProblem(header.line, null, header.cells.filter(isFilled).join(delimiter), message)];
}

/** Names or amounts in a column that the sheet hides: whoever looked at the sheet saw others, or none. */
function hidden({ header, columns, hiddenColumns = [], results }: HeaderPlace): Problem[] {
  if (results) return [];
  return columns.flatMap(({ index, written, known, by }) => {
    const isHidden = hiddenColumns.some(([from, to]) => index >= from && index <= to);
    if (!isHidden || by === 'map' || !NEEDED.some((name) => name === known)) return [];
    const message = `This column is hidden in the sheet. If it is meant as ${known}, show it, or say --map "${written}=${known}"; if it is not, say --map "${written}=" and which column is.`;
    return [makeProblem(header.line, written, null, message)];
  });
}

/** The number of cells that a message quotes, so that a person recognizes the line. */
const MAX_NAMED = 6;

/** Whether a cell is an amount, a date, or a number with a few letters before it. Column names have more letters: `Address 1`. */
const isNumber = (cell: string): boolean => /\d/.test(cell) && cell.replace(/\P{L}/gu, '').length <= MOST_LETTERS;

/** Letters that a number may have, as in `HRB 1234` and `EUR 1.000`; `NAME1` has four. */
const MOST_LETTERS = 3;

const isFilled = (cell: string): boolean => cell.trim() !== '';

/** Most characters of a title, which is a sentence. A longer text is no title. */
const MAX_LENGTH = 1_000;

/** The unit that starts at a word: the longest of three, two or one words. */
function unitAt(words: readonly string[], at: number): string | null {
  const before = words[at - 1] ?? '';
  // A number before the word makes it a count.
  if (/\d/.test(before)) return null;
  for (const length of [3, 2, 1]) {
    const some = words.slice(at, at + length);
    const written = some.join(' ').replace(/[,:!]+$/, '');
    const unit = isThousands(written) ? written : written.replace(/\.$/, '');
    if (some.length < length || !isThousands(unit)) continue;
    const isCount = /[1-9]/.test(unit);
    if (isThousandsOfMoney(unit) && !isCount) return unit;
    // `1.000 EUR` and `thousands` may be counts. They are units only alone, or after a word such as "in".
    const isWhole = some.length === words.length && (!isCount || isThousandsOfMoney(unit));
    const endsIt = at + length === words.length || !isCount || isThousandsOfMoney(unit);
    if (isWhole || TIMES.test(unit) || (INTRODUCES.test(before) && endsIt)) return unit;
  }
  return null;
}

const INTRODUCES = /^(?:in|en|w|v|x|×)$/i;
const TIMES = /^[x×]/i;
