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
  const wrongKind = first ? (foreignTableOf(first) ?? wrongKindOf(first)) : null;
  if (wrongKind || !first) return emptyTable(wrongKind, bytes.close);
  return readTextTable(file, bytes, first);
}

const ZIP = Buffer.from('PK\x03\x04');

/** Reads a sheet of a workbook; null for any other ZIP file. The code for workbooks is loaded only when needed. */
async function readSheet(file: TableFile, bytes: ByteSource): Promise<Table | null> {
  const { openSheet } = await import('./xlsx/sheet-table.ts');
  const sheet = await openSheet(file);
  if (sheet) await bytes.close();
  return sheet;
}
