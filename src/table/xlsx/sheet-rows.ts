import { MAX_RECORD_LENGTH } from '../physical-lines.ts';
import type { RawRecord } from '../records.ts';
import { unescaped } from './escapes.ts';
import { LIMITS, REMEDY } from './limits.ts';
import { dateOfSerial, plainNumber, withZeros } from './numbers.ts';
import type { XmlEars } from './parse-xml.ts';
import type { Workbook } from './workbook.ts';

/**
 * A row with something in it: its texts and the columns that they stand in, both in the order of the sheet, the columns of
 * those that are numbers, and whether the row is hidden, by hand or by a filter.
 */
export type SheetRow = Pick<RawRecord, 'line' | 'fault'> & {
  texts: string[];
  columns: number[];
  numbers: number[];
  hidden: boolean;
};

/**
 * Hears a sheet's XML and gives its rows, without those that hold nothing. Of a row, no more is kept than stands in the
 * file: what it lacks is filled in when it is used, see {@link cellsOf}.
 *
 * `narrowTo` says how wide the header is, once it is known: from then on cells without a text are those that are not there.
 *
 * Throws where the sheet has what Excel's cannot have, and names the row or the cell. A row that Excel can have and we
 * cannot use, too wide or too long, comes with a fault.
 */
export function makeRowEars(
  book: Workbook,
  onRow: (row: SheetRow) => void,
): XmlEars & { narrowTo(width: number): void } {
  let row: SheetRow = { line: 0, fault: null, texts: [], columns: [], numbers: [], hidden: false };
  let length = 0;
  let width = Number.POSITIVE_INFINITY;
  let next = 0;
  let cells = 0;
  let cell = { type: '', style: 0, column: 0 };
  let holds = { formula: false, value: false };
  let text = '';
  let hears = false;
  // How a Japanese text is pronounced stands beside it, and is no part of it.
  let isPhonetic = false;

  function openRow({ r: written, hidden, ht }: Record<string, string>): void {
    const line = Number(written ?? row.line + 1);
    if (!Number.isInteger(line) || line <= row.line || line > LIMITS.rows) {
      throw new Error(`its row ${shown(written ?? line)} cannot stand behind row ${row.line}; ${REMEDY}`);
    }
    row = { line, fault: null, texts: [], columns: [], numbers: [], hidden: isHidden(hidden, ht) };
    length = 0;
    next = 0;
    cells = 0;
  }

  function openCell({ r, t = 'n', s = '0' }: Record<string, string>): void {
    const column = r === undefined ? next : columnOf(r);
    if (!(column >= 0 && column < LIMITS.columns)) {
      throw new Error(
        `its row ${row.line} has a cell ${shown(r ?? 'behind column XFD')}, which no sheet has; ${REMEDY}`,
      );
    }
    cells += 1;
    if (cells > LIMITS.columns) throw new Error(`its row ${row.line} has more cells than there are columns; ${REMEDY}`);
    cell = { type: t, style: Number(s), column };
    holds = { formula: false, value: false };
    next = column + 1;
    text = '';
  }

  function closeCell(): void {
    const isOpen = width === Number.POSITIVE_INFINITY;
    const found = cellText(book, cell, text);
    if (holds.formula && !holds.value) row.fault ??= notCalculated(cell.column, row.line);
    // The header is as wide as its cells, filled or not; elsewhere an empty cell is one that is not there.
    if (found.trim() === '' && !isOpen) return;
    if (cell.column >= width) row.fault ??= tooWide(cell.column, row.line);
    length += found.length;
    if (length > MAX_RECORD_LENGTH) row.fault = TOO_LONG;
    if (row.fault) return;
    row.texts.push(found);
    row.columns.push(cell.column);
    if (cell.type === 'n' && !book.styles[cell.style]?.isDate) row.numbers.push(cell.column);
  }

  return {
    open(name, attributes) {
      if (name === 'row') openRow(attributes);
      if (name === 'c') openCell(attributes);
      if (name === 'f') holds.formula = true;
      if (name === 'v') holds.value = true;
      if (name === 'rPh') isPhonetic = true;
      hears = (name === 'v' || name === 't') && !isPhonetic;
    },
    text(part) {
      if (!hears) return;
      text += part;
      if (text.length > LIMITS.textLength) {
        throw new Error(`its cell ${nameOf(cell.column, row.line)} holds more than any cell can in Excel; ${REMEDY}`);
      }
    },
    close(name) {
      hears = false;
      if (name === 'rPh') isPhonetic = false;
      if (name === 'c') closeCell();
      if (name !== 'row' || (row.fault === null && row.texts.every((one) => one.trim() === ''))) return;
      onRow(row);
    },
    narrowTo(header) {
      width = header;
    },
  };
}

/** The row as it would have been heard below a header of this width. */
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

/** The row's cells from the first column to its last filled one: Excel writes no cell that is empty. */
export function cellsOf({ texts, columns }: SheetRow): string[] {
  const cells = new Array<string>(widthOf(columns)).fill('');
  for (const [place, column] of columns.entries()) cells[column] = texts[place] ?? '';
  return cells;
}

/** How wide a row is; cells need not stand in the order of their columns. */
export function widthOf(columns: readonly number[]): number {
  return columns.reduce((widest, column) => Math.max(widest, column + 1), 0);
}

/** A row of no height is as little to be seen as one that says so (ECMA-376, part 1, 18.3.1.73). */
function isHidden(hidden: string | undefined, height: string | undefined): boolean {
  return hidden === '1' || hidden === 'true' || (height !== undefined && Number(height) === 0);
}

const TOO_LONG: RawRecord['fault'] = {
  cell: null,
  message: `The row holds more than ${MAX_RECORD_LENGTH} characters: it is no buyer, or its cells want shortening.`,
};

function tooWide(column: number, line: number): RawRecord['fault'] {
  const message = `Cell ${nameOf(column, line)} stands right of the header's last column: name its column there, or empty it.`;
  return { cell: null, message };
}

/** A formula that gives an empty text has a value, which is empty. */
function notCalculated(column: number, line: number): RawRecord['fault'] {
  const message = `Cell ${nameOf(column, line)} holds a formula that was never calculated: open the workbook in Excel and save it, then bring it again.`;
  return { cell: null, message };
}

function cellText(book: Workbook, { type, style }: { type: string; style: number }, text: string): string {
  if (type === 's') return text === '' ? '' : (book.shared[Number(text)] ?? '');
  if (type === 'd') return text.replace(/T00:00:00(\.0+)?Z?$/, '');
  if (type === 'b') return text === '1' ? 'TRUE' : 'FALSE';
  if (type !== 'n' || text === '') return unescaped(text);
  const { isDate = false, leastDigits = 0, scale = '' } = book.styles[style] ?? {};
  if (isDate) return dateOfSerial(text, book);
  const number = withZeros(plainNumber(text), leastDigits);
  // As it is seen: 50 shown as 50 T€ is no amount of 50.
  return scale === '' ? number : `${number} ${scale}`;
}

/** `C7` is 2: the columns are numbers to the base of 26 letters. */
function columnOf(reference: string): number {
  let column = 0;
  for (const letter of reference.slice(0, 16).replace(/\d+$/, '')) column = column * 26 + letter.charCodeAt(0) - 64;
  return column - 1;
}

/** Its way back: 2 in row 7 is `C7`. */
function nameOf(column: number, line: number): string {
  let letters = '';
  for (let left = column + 1; left > 0; left = Math.floor((left - 1) / 26)) {
    letters = String.fromCharCode(65 + ((left - 1) % 26)) + letters;
  }
  return `${letters}${line}`;
}

function shown(written: string | number): string {
  return String(written).slice(0, 20);
}
