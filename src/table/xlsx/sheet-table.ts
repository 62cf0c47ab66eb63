import { LimitlineError, messageOf } from '../../errors.ts';
import { PLAIN_DIALECT } from '../dialect.ts';
import { cutOffWords } from '../foreign-tables.ts';
import type { RawRecord } from '../records.ts';
import { emptyTable, headerLineProblem, type Table, type TableFile } from '../table.ts';
import { parseXml } from './parse-xml.ts';
import { readToHeader, recordOf } from './sheet-header.ts';
import { cellsOf, makeRowEars, narrowed, type SheetRow, widthOf } from './sheet-rows.ts';
import { unreadWords } from './unread-sheets.ts';
import { openWorkbook, type SheetEntry, type Workbook } from './workbook.ts';

/**
 * Opens a sheet of an Excel workbook as a table: the one that is named, else the first that can be seen. Lines are named by Excel's own
 * row numbers. Numbers become plain decimals and days YYYY-MM-DD by the type that the file gives them.
 *
 * Null for a ZIP file that is none; a table that says so for another program's.
 *
 * @throws LimitlineError `FILE` when the workbook is broken or there is no such sheet, `STOPPED`
 */
export async function openSheet(file: TableFile): Promise<Table | null> {
  const shown = file.givenPath ?? file.path;
  const fault = (error: unknown) =>
    error instanceof LimitlineError
      ? error
      : new LimitlineError('FILE', `The workbook ${shown} cannot be read: ${cutOffWords(error) ?? messageOf(error)}.`, {
          cause: error,
        });
  let book: Workbook | string | null;
  try {
    book = await openWorkbook(file);
    if (book === null) return null;
    if (typeof book === 'string') return emptyTable(book, async () => {});
  } catch (error) {
    throw fault(error);
  }
  const opened = book;
  try {
    const sheet = sheetOf(opened, file);
    const { name, path } = sheet;
    const rows: SheetRow[] = [];
    const ears = makeRowEars(opened, (row) => rows.push(row));
    const chunks = parseXml(await opened.open(path), ears, file.signal);
    // Only now: what may be unpacked in all is for the sheet itself before it is for the others.
    const leftOut = file.sheet === undefined ? await unreadWords(opened, sheet, file.signal) : [];
    let at = 0;

    const next = (): RawRecord | null => {
      const row = rows[at];
      if (!row) return null;
      at += 1;
      const { line, fault, numbers, hidden } = row;
      return { line, cells: cellsOf(row), fault, sheet: { numbers, hidden } };
    };
    const more = async (): Promise<boolean> => {
      rows.splice(0, at);
      at = 0;
      try {
        return !(await chunks.next()).done;
      } catch (error) {
        throw fault(error);
      }
    };
    const { above } = await readToHeader({ rows, more }, file);
    // What came with the header was heard before its width was known.
    const width = rows[0] ? widthOf(rows[0].columns) : 0;
    rows.push(...rows.splice(1).map((row) => narrowed(row, width)));
    if (rows[0]) ears.narrowTo(width);
    const header = next();
    const below = rows.slice(at, at + 1).map(recordOf)[0];
    const unusable = headerLineProblem(header, file);
    const dialect = { ...PLAIN_DIALECT, sheet: name };
    return {
      header,
      above,
      below,
      dialect,
      rereadable: true,
      unusable,
      leftOut,
      next,
      more,
      close: async () => opened.close(),
    };
  } catch (error) {
    opened.close();
    throw fault(error);
  }
}

function sheetOf({ sheets }: Workbook, { path, givenPath = path, sheet }: TableFile): SheetEntry {
  const visible = sheets.find(({ hidden }) => !hidden) ?? sheets[0];
  const found = sheet === undefined ? visible : sheets.find(({ name }) => name === sheet);
  if (found) return found;
  const names = sheets.slice(0, MAX_NAMED).map(({ name }) => name);
  const others = sheets.length > MAX_NAMED ? ` and ${sheets.length - MAX_NAMED} others` : '';
  const has = `${names.join(', ') || 'none'}${others}`;
  throw new LimitlineError('FILE', `The workbook ${givenPath} has no sheet "${sheet ?? ''}": it has ${has}.`);
}

/** As many as a person looks through in one line. */
const MAX_NAMED = 20;
