import { MAX_RECORD_LENGTH } from '../physical-lines.ts';
import type { RawRecord, ShownNumber } from '../records.ts';
import type { Merged } from '../table.ts';
import { cellName, columnOf, dateOfSerial, plainNumber, unescaped, withZeros } from './cell-xml.ts';
import { PLAIN_STYLE, shownNumber } from './number-format.ts';
import { LIMITS, makeTextParts, REMEDY, type XmlHandler } from './parse-xml.ts';
import { isStrike, type Workbook } from './workbook.ts';

/**
 * A row that is not empty: its texts and their columns in the sheet's order, the columns of numbers, what the sheet
 * shows besides them, and whether the row is hidden, by hand or by a filter.
 */
export type SheetRow = Pick<RawRecord, 'line' | 'fault'> & {
  texts: string[];
  columns: number[];
  numbers: number[];
  shown?: Map<number, ShownNumber>;
  /** The columns of cells through which, or through a part of which, a line goes. */
  struck?: number[];
  hidden: boolean;
};

/** Makes rows from a sheet's XML. */
type RowReader = XmlHandler & {
  /** Cells that are merged over several rows; a sheet's XML lists them after all rows. */
  merged: Merged[];
  /** The hidden columns, as first and last index. A sheet's XML lists them before its rows. */
  hiddenColumns: [from: number, to: number][];
  /** Sets the header's width. From then on, cells without text are ignored. */
  narrowTo(width: number): void;
};

/**
 * Makes rows from a sheet's XML, without empty ones. A row keeps only what the file has; missing cells are added on
 * use, see {@link cellsOf}.
 *
 * Throws for content that Excel cannot have, and names the row or cell. A row that is valid in Excel but too wide or
 * too long here gets a fault.
 */
export function makeRowReader(book: Workbook, onRow: (row: SheetRow) => void): RowReader {
  let row: SheetRow = emptyRow(0, false);
  let length = 0;
  let width = Number.POSITIVE_INFINITY;
  let nextColumn = 0;
  /** The row in which each column last had a cell. */
  const filledIn = new Uint32Array(LIMITS.columns);
  let cell = { type: '', style: 0, column: 0, hasFormula: false, hasValue: false, isStruck: false };
  const parts = makeTextParts(['v', 't'], () => cellTooLong(cell.column, row.line));

  function openRow({ r: written, hidden, ht }: Record<string, string>): void {
    row = emptyRow(rowNumber(written, row.line), isHidden(hidden, ht));
    length = 0;
    nextColumn = 0;
  }

  function openCell({ r, t = 'n', s = '0' }: Record<string, string>): void {
    const column = r === undefined ? nextColumn : columnOf(r);
    if (!(column >= 0 && column < LIMITS.columns)) {
      const named = shown(r ?? 'behind column XFD');
      throw new Error(`its row ${row.line} has a cell ${named}, which no sheet has; ${REMEDY}`);
    }
    if (filledIn[column] === row.line)
      throw new Error(`its cell ${cellName(column, row.line)} occurs twice; ${REMEDY}`);
    filledIn[column] = row.line;
    cell = { type: t, style: Number(s), column, hasFormula: false, hasValue: false, isStruck: false };
    nextColumn = column + 1;
    parts.clear();
  }

  function closeCell(): void {
    const isHeader = width === Number.POSITIVE_INFINITY;
    const written = parts.text();
    if (cell.type === 's' && written.trim() !== '' && book.shared[Number(written)] === undefined) {
      throw new Error(`its cell ${cellName(cell.column, row.line)} names a text that the workbook lacks; ${REMEDY}`);
    }
    const text = cellText(book, cell, written);
    if (cell.hasFormula && !isCalculated(cell, written, book)) row.fault ??= notCalculated(cell.column, row.line);
    // The header has all of its cells, even empty ones. In other rows, an empty cell counts as missing.
    if (text.trim() === '' && !isHeader) return;
    if (cell.column >= width) row.fault ??= tooWide(cell.column, row.line);
    length += text.length;
    if (length > MAX_RECORD_LENGTH) row.fault = ROW_TOO_LONG;
    if (row.fault) return;
    row.texts.push(text);
    row.columns.push(cell.column);
    const style = book.styles[cell.style] ?? PLAIN_STYLE;
    if (cell.isStruck || style.isStruck || (cell.type === 's' && book.struck.has(Number(written)))) {
      row.struck ??= [];
      row.struck.push(cell.column);
    }
    const isDate = cell.type === 'd' || (cell.type === 'n' && style.isDate);
    if (cell.type !== 'n' && !isDate) return;
    if (!isDate) row.numbers.push(cell.column);
    const shown = isDate ? { isDate, text: `${text} (shown as a date)` } : shownNumber(style, written);
    if (!shown) return;
    row.shown ??= new Map();
    row.shown.set(cell.column, shown);
  }

  const merged: Merged[] = [];
  const hiddenColumns: [from: number, to: number][] = [];

  return {
    merged,
    hiddenColumns,
    open(name, attributes) {
      if (name === 'col' && hiddenColumns.length < HIDDEN_KEPT && isHidden(attributes.hidden, attributes.width))
        hiddenColumns.push([Number(attributes.min) - 1, Number(attributes.max) - 1]);
      if (name === 'mergeCell' && merged.length < MERGED_KEPT) merged.push(...mergedIn(attributes));
      if (name === 'row') openRow(attributes);
      if (name === 'c') openCell(attributes);
      if (name === 'f') cell.hasFormula = true;
      if (name === 'v') cell.hasValue = true;
      if (isStrike(name, attributes)) cell.isStruck = true;
      parts.open(name);
    },
    text: parts.add,
    close(name) {
      parts.close(name);
      if (name === 'c') closeCell();
      if (name === 'row' && (row.fault !== null || row.texts.some((one) => one.trim() !== ''))) onRow(row);
    },
    narrowTo(header) {
      width = header;
    },
  };
}

/** So many areas of hidden columns are kept: a sheet has far fewer. */
const HIDDEN_KEPT = 500;

/** So many merged areas are kept: one is named. */
const MERGED_KEPT = 500;

function mergedIn({ ref = '' }: Record<string, string>): Merged[] {
  const [first = '', last = ''] = ref.split(':');
  const [line = 0, end = 0] = [first, last].map((cell) => Number(/\d+$/.exec(cell)?.[0]));
  return end > line ? [{ name: shown(ref), line, columns: [columnOf(first), columnOf(last)] }] : [];
}

/** A row as it would have been read if the header's width had been known. */
export function narrowed({ texts, columns, fault, ...row }: SheetRow, width: number): SheetRow {
  const filled = [...texts.keys()].filter((place) => texts[place]?.trim() !== '');
  const outside = columns[filled.find((place) => (columns[place] ?? 0) >= width) ?? -1];
  return {
    ...row,
    fault: fault ?? (outside === undefined ? null : tooWide(outside, row.line)),
    texts: filled.map((place) => texts[place] ?? ''),
    columns: filled.map((place) => columns[place] ?? 0),
  };
}

/** The row's cells up to its last filled one. Excel omits empty cells. */
export function cellsOf({ texts, columns }: SheetRow): string[] {
  const cells = new Array<string>(rowWidthOf(columns)).fill('');
  for (const [place, column] of columns.entries()) cells[column] = texts[place] ?? '';
  return cells;
}

/** The width of a row, whose cells may be in any order. */
export function rowWidthOf(columns: readonly number[]): number {
  return columns.reduce((widest, column) => Math.max(widest, column + 1), 0);
}

function emptyRow(line: number, hidden: boolean): SheetRow {
  return { line, fault: null, texts: [], columns: [], numbers: [], hidden };
}

/** The row's number, as written or the next one. @throws Error for a number that is impossible in Excel. */
function rowNumber(written: string | undefined, before: number): number {
  const line = Number(written ?? before + 1);
  if (Number.isInteger(line) && line > before && line <= LIMITS.rows) return line;
  throw new Error(`its row ${shown(written ?? line)} cannot come after row ${before}; ${REMEDY}`);
}

/** Whether a row is invisible. A row of height 0 is as invisible as a hidden one (ECMA-376, part 1, 18.3.1.73). */
function isHidden(hidden: string | undefined, height: string | undefined): boolean {
  return hidden === '1' || hidden === 'true' || (height !== undefined && Number(height) === 0);
}

function cellTooLong(column: number, line: number): Error {
  return new Error(`its cell ${cellName(column, line)} has more text than any cell can have in Excel; ${REMEDY}`);
}

const ROW_TOO_LONG: RawRecord['fault'] = {
  cell: null,
  message: `This row has more than ${MAX_RECORD_LENGTH} characters: it is not a buyer, or its cells must be shorter.`,
};

function tooWide(column: number, line: number): RawRecord['fault'] {
  const name = cellName(column, line);
  const message = `Cell ${name} is to the right of the header's last column: name its column in the header, or empty the cell.`;
  return { cell: null, message };
}

/**
 * Whether a program calculated the formula of a cell. A formula with an empty text as its result has the type of a text, and an empty value
 * element. openpyxl writes such an element without a type for each formula, and calculates none. XlsxWriter writes zero, or an empty text
 * if it is told to.
 */
function isCalculated(
  { type, hasValue }: { type: string; hasValue: boolean },
  written: string,
  { isUncalculated }: Pick<Workbook, 'isUncalculated'>,
): boolean {
  if (isUncalculated && (written === '0' || written === '')) return false;
  return hasValue && (written !== '' || type === 'str');
}

/** The fault of a cell with a formula that no program has calculated. */
function notCalculated(column: number, line: number): RawRecord['fault'] {
  const name = cellName(column, line);
  const message = `Cell ${name} has a formula that was never calculated: open the workbook in Excel, save it, and use the saved file.`;
  return { cell: null, message };
}

const shown = (written: string | number): string => String(written).slice(0, 20);

/** The parts of a workbook that determine a cell's text. */
type Meanings = Pick<Workbook, 'shared' | 'styles' | 'from1904'>;

/**
 * The text of a cell as a person sees it: numbers as plain decimals, dates as YYYY-MM-DD (ECMA-376, part 1, 18.18.11).
 *
 * @param written the content of the cell's element.
 */
export function cellText(book: Meanings, { type, style }: { type: string; style: number }, written: string): string {
  if (type === 's') return written.trim() === '' ? '' : (book.shared[Number(written)] ?? '');
  if (type === 'd') return written.replace(/T00:00:00(\.0+)?Z?$/, '');
  if (type === 'b') return written === '1' ? 'TRUE' : 'FALSE';
  if (type !== 'n' || written === '') return unescaped(written);
  const { isDate, leastDigits, scale } = book.styles[style] ?? PLAIN_STYLE;
  if (isDate) return dateOfSerial(written, book);
  const number = withZeros(plainNumber(written), leastDigits);
  // A number that is shown with a word for thousands keeps that word: 50 that is shown as 50 T€ is no amount of 50.
  return scale === '' ? number : `${number} ${scale}`;
}
