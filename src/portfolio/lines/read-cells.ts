import { grouped } from '../../counted.ts';
import type { Document } from '../../documents/folder.ts';
import { MARKS, MOST_MARKS, normal } from '../../likeness.ts';
import { type Dialect, delimiterWord } from '../../table/dialect.ts';
import { describeDamage } from '../../table/encodings/utf8.ts';
import { withoutTextMark } from '../../table/formulas.ts';
import { type RawRecord, type ShownNumber, textOfRecord } from '../../table/records.ts';
import { type Column, makeFit, namedWidth } from '../columns/column.ts';
import { type ExtraCell, extraValue, readerOfExtra } from '../columns/extra-fields.ts';
import { COLUMNS, type KnownColumn, type ReadBy, type ValueReader } from '../columns/known-columns.ts';
import type { Decision } from '../identity/identity.ts';
import { type CellChange, makeChange, makeProblem, type Problem } from '../problem.ts';
import { namesUnit, readUnit } from '../values/amount-unit.ts';
import { readIdentifier, readNull } from '../values/identifiers.ts';
import { makeLostZeros } from './lost-zeros.ts';
import type { Line } from './row.ts';

/** The cells of known columns that are not empty: trimmed and checked, amounts in canonical form. */
export type Values = { [column in KnownColumn]?: string };

/** One record's cells, read. If there are problems, the values must not be used. */
export type ReadCells = {
  values: Values;
  /** The cells of columns that a person sends by a path. */
  extras: ExtraCell[];
  problems: Problem[];
  changed: CellChange[];
  /** Whether a cell, or the advice about its fault, is ambiguous until its column's convention is known, see `conventions`. */
  open: boolean;
  /** The record's text, if it is malformed, or if a cell of the team's own columns holds invisible characters. */
  broken: string | null;
  /** Whether the line is no buyer: a total, a header once more, a note (stray-lines.ts). */
  isStray?: boolean;
};

/** Reads one record and reports all of its problems, not only the first. */
type CellReader = (record: RawRecord) => ReadCells;

type CellReaderOptions = {
  columns: Column[];
  dialect: Dialect;
  /** Checked values that every line gets, for columns that the file lacks. */
  constants?: Values | undefined;
} & ReadBy;

/** Builds a reader for these columns. The choice of checks is made once, not for each line. */
export function makeCellReader(options: CellReaderOptions): CellReader {
  const { columns, dialect, constants } = options;
  const fits = makeFit(columns, dialect.delimiter);
  const tasks = columns
    .map((column): Task => ({ column, read: readerOf(column) }))
    .filter(({ column, read }) => column.known !== null || column.extra || column.needed || read);
  const addLostZeros = makeLostZeros(columns);

  return (record) => {
    const { line, cells, fault, sheet } = record;
    // One test for each cell; most lines need no other.
    const plain = cells.every(isPlain);
    const sound = plain || cells.every(isSound);
    const problems = sound ? [] : textProblems(record, columns, dialect.encoding);
    const values: Values = constants === undefined ? {} : { ...constants };
    const result: ReadCells = { values, extras: [], problems, changed: [], open: false, broken: null };
    // A sheet omits empty cells at the end of a row, so only text files have lines of a wrong length.
    const isRagged = !sheet && !fits(cells);
    // Cells of known columns are checked whenever the file is read; damage in other cells would pass later. So the whole line is kept for
    // correction.
    const hides = !sound && cells.some((cell, at) => !isSound(cell) && !columns[at]?.known);
    if (fault || isRagged || hides) result.broken = textOfRecord(record, dialect.delimiter);
    if (fault) {
      const cell = fault.cell === null ? null : (cells[fault.cell] ?? null);
      problems.unshift(makeProblem(line, writtenAt(columns, fault.cell), cell, fault.message));
    } else if (isRagged) {
      const wanted = cells.length > columns.length ? columns.length : namedWidth(columns);
      problems.unshift(makeProblem(line, null, null, raggedMessage(cells.length, wanted, dialect)));
    } else {
      const look = { plain, sound, by: options };
      for (const task of tasks) readCell(task, record, look, result);
      addLostZeros?.(line, cells, result);
    }
    return result;
  };
}

/** Reads the constants of a mapping. Their problems are reported on `line`, the header's. */
export function readConstants(
  given: Values,
  { line, ...by }: { line: number } & ReadBy,
): { constants: Values; problems: Problem[] } {
  const constants: Values = {};
  const problems: Problem[] = [];
  for (const [name, text] of Object.entries(given) as [KnownColumn, string][]) {
    const reading = COLUMNS[name].read?.(text, by) ?? { value: text };
    if ('problem' in reading) problems.push(makeProblem(line, name, text, `In the mapping: ${reading.problem}`));
    else constants[name] = normal(reading.value);
  }
  return { constants, problems };
}

/** The result of the test of all cells of a record, and the options for reading its values. */
type Look = { plain: boolean; sound: boolean; by: ReadBy };

type Task = { column: Column; read: ValueReader | undefined };

function readerOf(column: Column): ValueReader | undefined {
  if (column.extra) return readerOfExtra(column.extra);
  return column.known ? COLUMNS[column.known].read : unitReader(column);
}

/**
 * The reader of a column of the team's own whose name says that it holds the units of amounts; undefined for other columns, and if the
 * mapping says that the column means nothing.
 */
function unitReader({ by, written }: Column): ValueReader | undefined {
  return by === null && namesUnit(written) ? readUnit : undefined;
}

function readCell(
  { column, read }: Task,
  { line, cells, sheet }: RawRecord,
  { plain, sound, by }: Look,
  result: ReadCells,
): void {
  const isSent = column.known !== null || column.extra !== undefined;
  // A number that the sheet shows otherwise keeps both texts. In a file of text, the one alone would pass as the value.
  const both = isSent ? bothTexts(sheet?.shown?.get(column.index), column) : undefined;
  if (both !== undefined) cells[column.index] = both;
  const written = (cells[column.index] ?? '').trim();
  if (written === '') {
    if (column.needed) {
      result.problems.push(makeProblem(line, column.written, null, 'This cell is empty and must not be.'));
    }
    return;
  }
  // The damage is reported already. Further problems of the same cell would only distract.
  if (!sound && !isSound(written)) return;
  if (!plain && isSent && written.includes('\ufffd')) {
    result.problems.push(makeProblem(line, column.written, written, LOST));
    return;
  }
  if (isSent && (written.length > MOST_CHARACTERS || (!plain && MARKS.test(written)))) {
    const problem = written.length > MOST_CHARACTERS ? tooLong(written) : TOO_MANY_MARKS;
    result.problems.push(makeProblem(line, column.written, written, problem));
    return;
  }
  if (written[0] === '#' && SHEET_ERROR.test(written)) {
    result.problems.push(makeProblem(line, column.written, written, SHEET_ERROR_PROBLEM));
    return;
  }
  if (isSent && written.endsWith(')') && SHOWN_OTHERWISE.test(written)) {
    result.problems.push(makeProblem(line, column.written, written, SHOWN_PROBLEM));
    return;
  }
  const isTidy = (plain && written[0] !== "'" && written[0] !== '=') || column.known === 'supporting_documents';
  const text = isTidy ? written : tidied(written);
  const isNumber = sheet?.numbers.includes(column.index);
  const reading = readNull(text) ?? read?.(text, by, isNumber) ?? { value: text };
  if ('problem' in reading) {
    const { decimal } = by.conventions;
    if (reading.open || (column.known === 'requested_limit' && decimal === null)) result.open = true;
    const isOurs = decimal === ',' && column.extra === undefined;
    const problem = isOurs ? reading.problem.replace('1234.50', '1234,50') : reading.problem;
    result.problems.push(makeProblem(line, column.written, written, problem));
  } else if (isSent) {
    // A placeholder such as a dash counts as an empty cell.
    if (reading.value === '') {
      if (column.needed) result.problems.push(makeProblem(line, column.written, written, PLACEHOLDER));
    } else if (column.known) result.values[column.known] = reading.value;
    else if (column.extra) result.extras.push({ field: column.extra, value: extraValue(column.extra, reading.value) });
    const message = reading.change ?? (text === written ? undefined : TIDIED);
    if (message === undefined) return;
    const where = { line, column: column.written };
    result.changed.push(makeChange(where, { value: written, became: reading.value, message }));
  }
}

/**
 * What a cell holds and what its sheet shows, if that differs for its column; undefined if not. The format of an extra number means nothing.
 * An extra text that is shown as digits in groups, such as a postal code, is taken as shown. A reference, or a name, is no date: the
 * spreadsheet made it one, as it does with `3-12`.
 */
function bothTexts(shown: ShownNumber | undefined, { known, extra }: Column): string | undefined {
  if (shown?.isDate)
    return known === 'name' || (known && COLUMNS[known].read === readIdentifier) ? shown.text : undefined;
  const isSame = shown?.isSameAmount && known === 'requested_limit';
  if (isSame || extra?.endsWith(':number')) return undefined;
  return (extra && SHOWN_AS_DIGITS.exec(shown?.text ?? '')?.[1]) ?? shown?.text;
}

const SHOWN_AS_DIGITS = /^\d+ \(shown as (\d[\d -]*)\)$/;

const SHOWN_OTHERWISE = /^[\d.]\S* \(shown as .+\)$/s;

const SHOWN_PROBLEM =
  'The sheet shows something else than the number that the cell holds: format the cell as text, and type what is meant.';

/** Most characters of a cell: Excel's limit. */
const MOST_CHARACTERS = 32_767;

function tooLong({ length }: string): string {
  return `The cell has ${grouped(length)} characters, and a cell may have ${grouped(MOST_CHARACTERS)}: shorten it.`;
}

const TOO_MANY_MARKS = `The cell has more than ${MOST_MARKS} accents on one letter, as no writing has: type the cell again.`;

const PLACEHOLDER = 'This cell must not be empty, and its text is only a placeholder: fill it in.';

const LOST = 'The cell holds U+FFFD, the sign for a character that was lost: type the cell again.';

/** Errors that spreadsheets show for a failed formula: English in workbooks, also German in CSV files. */
const SHEET_ERROR =
  /^#(N\/A|NV|REF!|BEZUG!|VALUE!|WERT!|DIV\/0!|NAME\?|NUM!|ZAHL!|NULL!|SPILL!|CALC!|FIELD!|BLOCKED!|CONNECT!|UNKNOWN!|BUSY!|GETTING_DATA)$/;

const SHEET_ERROR_PROBLEM =
  "This is a spreadsheet's error, not a value: correct the formula of the cell, or type what it should show.";

/** Whether the text needs no check and no tidying: it has only ASCII and letters of Western languages. */
function isPlain(text: string): boolean {
  // Most cells of a wide sheet are empty.
  return text === '' || PLAIN_TEXT.test(text);
}

const PLAIN_TEXT = /^[\t\n\r -~\u00a0-\u02ff]*$/;

/** Normalizes to NFC, because macOS decomposes letters, and removes a spreadsheet's mark of a text. */
export function tidied(text: string): string {
  return normal(withoutTextMark(text).trim());
}

/** A line that was read but not yet classified as a row, an invalid line or a duplicate. */
export type LineDraft = ReadCells & {
  record: RawRecord;
  documents: Document[];
  decision?: Decision | undefined;
  currency?: Line['currency'];
  /** Warnings of the line by comparison with others. */
  doubts?: Problem[];
};

const TIDIED =
  'The cell had the mark of a text in a spreadsheet (an apostrophe, or =""), or accents as characters of their own beside their letters.';

/** Whether the text is valid Unicode without control characters. Tabs and line breaks are allowed. */
const isSound = (text: string): boolean => text.isWellFormed() && !CONTROL.test(text);

// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds control characters.
const CONTROL = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/;

function textProblems({ line, cells }: RawRecord, columns: Column[], encoding: string): Problem[] {
  const problems: Problem[] = [];
  for (const [index, cell] of cells.entries()) {
    if (problems.length >= MAX_TEXT_PROBLEMS) {
      problems.push(
        makeProblem(
          line,
          null,
          null,
          'Further cells of this line may be damaged, and are not named one by one: check the whole line.',
        ),
      );
      break;
    }
    const written = writtenAt(columns, index);
    const damage = describeDamage(cell, encoding);
    if (damage) problems.push(makeProblem(line, written, cell, damage));
    const control = CONTROL.exec(cell)?.[0];
    if (control === undefined) continue;
    const code = control.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
    const message = `The cell holds the control character U+${code}, which cannot be seen: type the cell again.`;
    problems.push(makeProblem(line, written, cell, message));
  }
  return problems;
}

/**
 * Most problems of damaged text that are reported of one line: more than a person corrects one by one. A line may have a million cells, and
 * each problem takes memory.
 */
const MAX_TEXT_PROBLEMS = 20;

function writtenAt(columns: Column[], index: number | null): string | null {
  return index === null ? null : (columns[index]?.written ?? null);
}

function raggedMessage(found: number, wanted: number, { delimiter }: Dialect): string {
  const sign = delimiterWord(delimiter);
  const counts = `The line has ${found} ${found === 1 ? 'cell' : 'cells'} and the header ${wanted}`;
  return found < wanted
    ? `${counts}: a ${sign} is missing, or the line was cut off.`
    : `${counts}: put a cell that holds a ${sign} in quotation marks, or take the extra ${sign} away.`;
}
