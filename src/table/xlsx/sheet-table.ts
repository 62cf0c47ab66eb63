import { LimitlineError, messageOf } from '../../errors.ts';
import { PLAIN_DIALECT } from '../dialect.ts';
import { aboveOf, findHeader, type GivenHeader, HEADER_WITHIN_LINES } from '../find-header.ts';
import type { RawRecord } from '../records.ts';
import { emptyTable, headerLineProblem, type Table, type TableFile } from '../table.ts';
import { parseXml, REMEDY } from './parse-xml.ts';
import { cellsOf, makeRowReader, narrowed, rowWidthOf, type SheetRow } from './sheet-rows.ts';
import { openWorkbook, type SheetEntry, type Workbook } from './workbook.ts';

/**
 * Opens a workbook's sheet as a table: the named one, else the first visible one; where that is a cover without a header, the
 * first visible one that names all needed columns. Lines have Excel's row numbers. By
 * the cells' types, numbers become plain decimals and dates YYYY-MM-DD.
 *
 * null for a ZIP file of another kind; an empty table with a message for a table of another program.
 *
 * @throws LimitlineError `FILE` when the workbook is broken or has no such sheet, `STOPPED`
 */
export async function openSheet(file: TableFile): Promise<Table | null> {
  const book = await openBook(file);
  if (book === null) return null;
  if (typeof book === 'string') return emptyTable(book, async () => {});
  try {
    return await readSheet(book, file);
  } catch (error) {
    book.close();
    throw bookFault(file, error);
  }
}

/**
 * Names the sheets with content that are not read, if no sheet was chosen: they may have buyers as well. Empty if there are none.
 *
 * @throws LimitlineError `STOPPED`
 */
async function unreadSheets(book: Workbook, read: SheetEntry, signal?: AbortSignal): Promise<string[]> {
  const others = book.sheets.filter((sheet) => sheet !== read);
  const filled: string[] = [];
  for (const sheet of others.slice(0, MAX_LOOKED_AT)) {
    if (await hasContent(book, sheet, signal)) filled.push(`"${sheet.name}"${sheet.hidden ? ' (hidden)' : ''}`);
  }
  const unseen = others.length - MAX_LOOKED_AT;
  if (unseen > 0) filled.push(`${unseen} more ${unseen === 1 ? 'sheet' : 'sheets'}`);
  const [first] = filled;
  if (first === undefined) return [];
  const last = filled.length > 1 ? filled.pop() : undefined;
  const names = last === undefined ? first : `${filled.join(', ')} and ${last}`;
  const have = last === undefined ? 'although it has content' : 'although they have content';
  return [`The sheet "${read.name}" is read, but not ${names}, ${have}: --sheet NAME reads another one.`];
}

async function openBook(file: TableFile): Promise<Workbook | string | null> {
  try {
    return await openWorkbook(file);
  } catch (error) {
    throw bookFault(file, error);
  }
}

async function readSheet(book: Workbook, file: TableFile): Promise<Table> {
  const sheet = await sheetOf(book, file);
  const rows: SheetRow[] = [];
  const reader = makeRowReader(book, (row) => rows.push(row));
  const chunks = parseXml(await book.open(sheet.path), reader, file.signal);
  // The other sheets are opened after the chosen one, so that it comes first within the limit for unpacked bytes.
  const leftOut = file.sheet === undefined ? await unreadSheets(book, sheet, file.signal) : [];
  let at = 0;

  const next = (): RawRecord | null => {
    const row = rows[at];
    if (!row) return null;
    at += 1;
    return {
      ...recordOf(row),
      sheet: { numbers: row.numbers, hidden: row.hidden, shown: row.shown, struck: row.struck },
    };
  };
  const more = async (): Promise<boolean> => {
    rows.splice(0, at);
    at = 0;
    try {
      return !(await chunks.next()).done;
    } catch (error) {
      throw bookFault(file, error);
    }
  };
  const around = await readToHeader({ rows, more }, file);
  // The rows below the header were read before its width was known, so they are narrowed to it now.
  const width = rows[0] ? rowWidthOf(rows[0].columns) : 0;
  rows.push(...rows.splice(1).map((row) => narrowed(row, width)));
  if (rows[0]) reader.narrowTo(width);
  const header = next();
  return {
    header,
    ...around,
    below: rows.slice(at, at + 1).map(recordOf)[0],
    dialect: { ...PLAIN_DIALECT, sheet: sheet.name },
    rereadable: true,
    unusable: headerLineProblem(header, file),
    leftOut,
    merged: reader.merged,
    hiddenColumns: reader.hiddenColumns,
    next,
    more,
    close: async () => book.close(),
  };
}

/** A parser's sentence about its place in the file has a full stop of its own. It tells nobody what to do. */
function faultyPart(error: unknown): string {
  const reason = messageOf(error);
  return /^\d+:\d+: .*\.$/s.test(reason) ? `${reason.slice(0, -1)}; ${REMEDY}` : reason;
}

/** Passes a LimitlineError through; any other error is reported as the workbook's. */
function bookFault({ path, givenPath = path }: TableFile, error: unknown): LimitlineError {
  if (error instanceof LimitlineError) return error;
  const reason = isCutOff(error) ? CUT_OFF_REASON : faultyPart(error);
  return new LimitlineError('FILE', `The workbook ${givenPath} cannot be read: ${reason}.`, { cause: error });
}

/** Whether a ZIP file's end is missing, as after an interrupted download. */
const isCutOff = (error: unknown): boolean => error instanceof Error && CUT_OFF.test(error.message);

/** yauzl's messages for a missing or contradictory directory at a ZIP file's end. */
const CUT_OFF =
  /end of central directory|central directory.*(signature|expected|beyond|not found)|file is truncated|unexpected EOF|unexpected end/i;

const CUT_OFF_REASON =
  'its end is missing, as after a copy or a download that broke off; get the file again, or open it in Excel and save it again';

async function sheetOf(book: Workbook, file: TableFile): Promise<SheetEntry> {
  const { path, givenPath = path, sheet } = file;
  const { sheets } = book;
  const found = sheet === undefined ? await firstWithBuyers(book, file) : sheets.find(({ name }) => name === sheet);
  if (found) return found;
  const names = sheets.slice(0, MAX_NAMED).map(({ name }) => name);
  const others = sheets.length > MAX_NAMED ? ` and ${sheets.length - MAX_NAMED} others` : '';
  const has = `${names.join(', ') || 'none'}${others}`;
  throw new LimitlineError('FILE', `The workbook ${givenPath} has no sheet "${sheet ?? ''}": it has ${has}.`);
}

/** The first visible sheet; or, where that is a cover, the first one that names all needed columns. */
async function firstWithBuyers(book: Workbook, file: TableFile): Promise<SheetEntry | undefined> {
  const visible = book.sheets.filter(({ hidden }) => !hidden);
  const [first = book.sheets[0], ...others] = visible;
  if (!first || others.length === 0) return first;
  const header = await headerOf(book, first, file);
  // A sheet that cannot be read is not skipped as a cover: when it is read, the error says why.
  if (!header?.isCover) return first;
  for (const sheet of others.slice(0, MAX_LOOKED_AT)) {
    if ((await headerOf(book, sheet, file))?.isComplete) return sheet;
  }
  return first;
}

/** Least rows that look like those of a list and so make a sheet a list, whatever its columns are called. */
const ROWS_OF_A_LIST = 2;

/** Whether a row may belong to a list: it has three cells, or a text and an amount. A cover has words and what they mean, such as `Date`. */
function isOfList({ cells }: Pick<RawRecord, 'cells'>): boolean {
  const filled = cells.filter((cell) => cell.trim() !== '');
  return filled.length > 2 || (filled.length === 2 && /^\d[\d.,'’ ]+$/.test(filled[1]?.trim() ?? ''));
}

/** Judges the first rows of a sheet: a cover has no known column and no list. Undefined if the rows cannot be read. */
async function headerOf(
  book: Workbook,
  { path }: SheetEntry,
  { vocabulary, signal }: TableFile,
): Promise<{ isComplete: boolean; isCover: boolean } | undefined> {
  const rows: SheetRow[] = [];
  try {
    const chunks = parseXml(
      await book.open(path),
      makeRowReader(book, (row) => rows.push(row)),
      signal,
    );
    for await (const _ of chunks) if ((rows.at(-1)?.line ?? 0) >= HEADER_WITHIN_LINES) break;
  } catch (error) {
    if (signal?.aborted) throw error;
    return undefined;
  }
  const first = rows.filter(({ line }) => line <= HEADER_WITHIN_LINES).map(recordOf);
  const judged = first.map((record) => vocabulary.judgeHeader(record));
  return {
    isComplete: judged.some(({ isComplete }) => isComplete),
    isCover: judged.every(({ score }) => score < 1) && first.filter(isOfList).length < ROWS_OF_A_LIST,
  };
}

/** Most sheets that a message names: as many as a person reads through. */
const MAX_NAMED = 20;

/** The rows read so far, and how to read more. */
type RowsSoFar = {
  rows: SheetRow[];
  /** Reads further rows; false at the end. */
  more(): Promise<boolean>;
};

/**
 * Reads up to the header and removes the rows above it. The header is the named row, else the one with known columns
 * among the first rows. If that row and all below it are empty, no row is left.
 */
async function readToHeader({ rows, more }: RowsSoFar, given: GivenHeader): Promise<Pick<Table, 'above' | 'first'>> {
  const { headerLine, vocabulary } = given;
  const titles: SheetRow[] = [];
  const last = headerLine ?? HEADER_WITHIN_LINES;
  do {
    if (headerLine === undefined) continue;
    // The named row may be far down. The rows above it are not kept.
    const from = rows.findIndex(({ line }) => line >= headerLine);
    titles.push(...rows.splice(0, from === -1 ? rows.length : from).slice(0, TITLES));
  } while ((rows.at(-1)?.line ?? 0) < last && (await more()));
  const first = rows.filter(({ line }) => line <= HEADER_WITHIN_LINES).map(recordOf);
  if (headerLine === undefined) titles.push(...rows.splice(0, findHeader(first, vocabulary)));
  const header = headerLine ?? rows[0]?.line ?? 1;
  const width = rows[0]?.texts.filter((name) => name.trim() !== '').length ?? 0;
  const above = aboveOf(titles.map(recordOf), { from: 1, header, width, vocabulary });
  return { above, first: headerLine === undefined ? first : [] };
}

/** Rows above the header that are kept: more than messages show. */
const TITLES = 10;

/** A sheet's row as a record for finding the header, without what only sheets have. */
const recordOf = (row: SheetRow) => ({ line: row.line, cells: cellsOf(row), fault: row.fault });

/** Most other sheets in which content or a header is looked for: as many as a person reads through in a message. */
const MAX_LOOKED_AT = 20;

/**
 * Chunks of a sheet in which a filled cell is looked for: a megabyte or more, unpacked. It usually comes much earlier, but formatted empty
 * rows may go on endlessly.
 */
const LOOKED_THROUGH_CHUNKS = 64;

/** Whether a filled cell comes soon. An unreadable sheet counts as having content. */
async function hasContent(book: Workbook, { path }: SheetEntry, signal?: AbortSignal): Promise<boolean> {
  let isText = false;
  let found = false;
  const handler = {
    open(name: string) {
      isText = name === 'v' || name === 't';
    },
    text(text: string) {
      found ||= isText && text.trim() !== '';
    },
    close() {
      isText = false;
    },
  };
  try {
    const stream = await book.open(path);
    let chunks = 0;
    for await (const _ of parseXml(stream, handler, signal)) {
      chunks += 1;
      if (found || chunks > LOOKED_THROUGH_CHUNKS) break;
    }
    return found;
  } catch (error) {
    if (signal?.aborted) throw error;
    return true;
  }
}
