import { basename } from 'node:path';
import { type ByteSource, openBytes } from './bytes.ts';
import { foreignTableOf, wrongKindOf } from './foreign-tables.ts';
import { emptyTable, type Table, type TableFile } from './table.ts';
import { readTextTable } from './text-table.ts';

/**
 * Opens a table: a sheet of an Excel workbook, or a text in the given or detected dialect. A file of another kind gives
 * an empty table with the reason.
 *
 * @throws LimitlineError `FILE`, `STOPPED`; `USAGE` for an unknown encoding.
 */
export async function openTable(file: TableFile): Promise<Table> {
  const bytes = await openBytes(file);
  try {
    return await readStart(file, bytes);
  } catch (error) {
    await bytes.close();
    throw error;
  }
}

/**
 * Reads a table to its end and keeps nothing. A later reading then meets no read error midway.
 *
 * @throws LimitlineError `FILE`, `STOPPED`
 */
export async function readToEnd(file: TableFile): Promise<void> {
  const table = await openTable(file);
  try {
    do while (table.next());
    while (await table.more());
  } finally {
    await table.close();
  }
}

async function readStart(file: TableFile, bytes: ByteSource): Promise<Table> {
  const first = await bytes.read();
  if (first?.subarray(0, ZIP.length).equals(ZIP)) {
    const sheet = await readSheet(file, bytes);
    if (sheet) return sheet;
  }
  const wrongKind = first ? (lockFileOf(file) ?? foreignTableOf(first) ?? wrongKindOf(first)) : null;
  if (wrongKind || !first) return emptyTable(wrongKind, bytes.close);
  return readTextTable(file, bytes, first);
}

/** Says which workbook is meant by the name of Excel's lock file beside it; null for any other name. */
function lockFileOf({ path, givenPath = path }: TableFile): string | null {
  const name = basename(givenPath);
  if (!name.startsWith('~$')) return null;
  return `Names that begin with ~$ are those of lock files, which Excel keeps beside an open workbook: name the workbook itself, ${name.slice(2)}.`;
}

const ZIP = Buffer.from('PK\x03\x04');

/** Reads a sheet of a workbook; null for any other ZIP file. The code for workbooks is loaded only when needed. */
async function readSheet(file: TableFile, bytes: ByteSource): Promise<Table | null> {
  const { openSheet } = await import('./xlsx/sheet-table.ts');
  const sheet = await openSheet(file);
  if (sheet) await bytes.close();
  return sheet;
}
