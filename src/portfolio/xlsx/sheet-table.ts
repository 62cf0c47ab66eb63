import { LimitlineError, messageOf } from '../../errors.ts';
import { PLAIN_DIALECT } from '../dialect.ts';
import type { RawRecord } from '../records.ts';
import type { Table, TableFile } from '../table.ts';
import { dateOfSerial, plainNumber } from './numbers.ts';
import { parseXml, type XmlEars } from './parse-xml.ts';
import { openWorkbook, type Workbook } from './workbook.ts';

/**
 * Opens a sheet of an Excel workbook as a table: the one that is named, else the first. Lines are named by Excel's own
 * row numbers. Numbers become plain decimals and days YYYY-MM-DD by the type that the file gives them.
 *
 * @throws LimitlineError `FILE` when the workbook is broken or there is no such sheet, `STOPPED`
 */
export async function openSheet(file: TableFile): Promise<Table | null> {
  const fault = (error: unknown) =>
    error instanceof LimitlineError
      ? error
      : new LimitlineError('FILE', `The workbook ${file.path} cannot be read: ${messageOf(error)}.`, { cause: error });
  let book: Workbook | null;
  try {
    book = await openWorkbook(file.path);
    if (!book) return null;
  } catch (error) {
    throw fault(error);
  }
  const opened = book;
  try {
    const { name, path } = sheetOf(opened, file);
    const rows: RawRecord[] = [];
    const chunks = parseXml(
      await opened.open(path),
      makeRowEars(opened, (row) => rows.push(row)),
    );
    let width = 0;
    let at = 0;

    const next = (): RawRecord | null => {
      const row = rows[at];
      if (!row) return null;
      at += 1;
      // Excel writes no cell behind the last that is filled.
      while (row.cells.length < width) row.cells.push('');
      return row;
    };
    const more = async (): Promise<boolean> => {
      if (file.signal?.aborted) throw new LimitlineError('STOPPED', `Reading ${file.path} was given up: stopping.`);
      rows.splice(0, at);
      at = 0;
      try {
        return !(await chunks.next()).done;
      } catch (error) {
        throw fault(error);
      }
    };
    let header = next();
    while (!header && (await more())) header = next();
    width = header?.cells.length ?? 0;
    const dialect = { ...PLAIN_DIALECT, sheet: name };
    return { header, dialect, rereadable: true, unusable: null, next, more, close: async () => opened.close() };
  } catch (error) {
    opened.close();
    throw fault(error);
  }
}

function sheetOf({ sheets }: Workbook, { path, sheet }: TableFile): Workbook['sheets'][number] {
  const found = sheet === undefined ? sheets[0] : sheets.find(({ name }) => name === sheet);
  if (found) return found;
  const names = sheets.map(({ name }) => name).join(', ');
  throw new LimitlineError('FILE', `The workbook ${path} has no sheet "${sheet ?? ''}": it has ${names || 'none'}.`);
}

/** Excel's last column is XFD. */
const MAX_COLUMNS = 16_384;

/** Hears a sheet's XML and gives its rows, without those that hold nothing. */
function makeRowEars(book: Workbook, onRow: (row: RawRecord) => void): XmlEars {
  let row: RawRecord = { line: 0, cells: [], fault: null };
  let cell = { type: '', style: 0, at: 0 };
  let text = '';
  let hears = false;
  return {
    open(name, attributes) {
      if (name === 'row') row = { line: Number(attributes.r ?? row.line + 1), cells: [], fault: null };
      if (name === 'c') {
        const at = attributes.r === undefined ? row.cells.length : placeOf(attributes.r);
        if (at >= MAX_COLUMNS) throw new Error(`it has a cell ${attributes.r}, which no sheet has`);
        cell = { type: attributes.t ?? 'n', style: Number(attributes.s ?? 0), at };
        text = '';
      }
      hears = name === 'v' || name === 't';
    },
    text(part) {
      if (hears) text += part;
    },
    close(name) {
      hears = false;
      if (name === 'c') {
        while (row.cells.length < cell.at) row.cells.push('');
        row.cells[cell.at] = cellText(book, cell, text);
      }
      if (name === 'row' && row.cells.some((one) => one.trim() !== '')) onRow(row);
    },
  };
}

function cellText(book: Workbook, { type, style }: { type: string; style: number }, text: string): string {
  if (type === 's') return book.shared[Number(text)] ?? '';
  if (type === 'd') return text.replace(/T00:00:00(\.0+)?Z?$/, '');
  if (type === 'b') return text === '1' ? 'TRUE' : 'FALSE';
  if (type !== 'n' || text === '') return text;
  return book.dateStyles[style] ? dateOfSerial(text, book) : plainNumber(text);
}

/** `C7` is 2: the columns are numbers to the base of 26 letters. */
function placeOf(reference: string): number {
  let place = 0;
  for (const letter of reference.replace(/\d+$/, '')) place = place * 26 + letter.charCodeAt(0) - 64;
  return place - 1;
}
