import { type ByteSource, openBytes } from './bytes.ts';
import { foreignTableOf } from './foreign-tables.ts';
import { emptyTable, type Table, type TableFile } from './table.ts';
import { readTextTable } from './text-table.ts';
import { wrongKindOf } from './wrong-kinds.ts';

/**
 * Opens a table: a sheet where the file is an Excel workbook, a text otherwise, in the dialect that is given or found. Where it
 * cannot be one, the table is empty and says why.
 *
 * @throws LimitlineError `FILE`, `STOPPED`; `USAGE` for an encoding that there is not.
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
 * Goes through a table once, keeping nothing: whoever reads it again will not meet a fault in the middle.
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

/** The reader of workbooks is loaded for one only. Null for another ZIP file. */
async function readSheet(file: TableFile, bytes: ByteSource): Promise<Table | null> {
  const { openSheet } = await import('./xlsx/sheet-table.ts');
  const sheet = await openSheet(file);
  if (sheet) await bytes.close();
  return sheet;
}
