import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { StoreLooks } from '../../src/documents/store.ts';
import { isLimitlineError, LimitlineError } from '../../src/errors.ts';
import { sha256Of } from '../../src/files/draft.ts';
import { vocabularyOf } from '../../src/portfolio/columns/judge-header.ts';
import { NEEDED, plainName } from '../../src/portfolio/columns/known-columns.ts';
import { readHeader } from '../../src/portfolio/columns/read-header.ts';
import { ACCOUNT_COLUMN, isErrorsHeader, namesAccount } from '../../src/portfolio/columns/result-columns.ts';
import { openTable } from '../../src/table/open-table.ts';
import { nextRecord, type Table } from '../../src/table/table.ts';

/**
 * Checks that an answer overwrites no work of people: a file that was imported, a list of buyers, or a file in which somebody has filled in
 * what became of rows. An errors file may be overwritten: a corrected one was imported, and the next one often has its name.
 *
 * @param storedFiles the copies of all imported files. An import that is known by its digest needs no copy here.
 * @throws LimitlineError `USAGE` where the file is one of these
 */
export async function checkOverwritable(
  out: string | undefined,
  { storedFiles }: { storedFiles: Pick<StoreLooks, 'has'> },
  imports: readonly { id: string }[] = [],
): Promise<void> {
  if (out === undefined) return;
  const path = resolve(out);
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return;
  const digest = await sha256Of(path);
  const isImported = imports.some(({ id }) => id === digest) || (await storedFiles.has(digest));
  const what = await workOfPeople(path, isImported);
  if (what === undefined) return;
  throw new LimitlineError(
    'USAGE',
    `${out} ${what}, and this command would overwrite it: name another file with --out.`,
  );
}

async function workOfPeople(path: string, isImported: boolean): Promise<string | undefined> {
  const imported = isImported ? 'is a file that was imported' : undefined;
  const table = await openTable({ path, vocabulary: vocabularyOf() }).catch((error) => {
    if (!isLimitlineError(error)) throw error;
  });
  if (!table) return imported;
  try {
    const cells = table.header?.cells ?? [];
    if (isErrorsHeader(cells)) return undefined;
    if (imported) return imported;
    if (isListOfBuyers(table)) return 'is a list of buyers';
    return (await isFilledIn(table)) ? 'has answers that somebody filled in' : undefined;
  } finally {
    await table.close();
  }
}

/** Whether the header names what a list needs. A file that names its account was written by Limitline. */
function isListOfBuyers({ header, dialect }: Table): boolean {
  if (!header || namesAccount(header.cells)) return false;
  const { columns } = readHeader(header, { needed: NEEDED, delimiter: dialect.delimiter });
  return NEEDED.every((name) => columns.some(({ known, guess }) => (known ?? guess) === name));
}

/** The columns that people fill in. In a file of Limitline they come last, and a column of this name before them is the team's own. */
const FILLED_IN = ['id', 'decided_at'];

async function isFilledIn(table: Table): Promise<boolean> {
  const names = (table.header?.cells ?? []).map((cell) => plainName(cell));
  const namesRows = ['row', 'line', 'buyer_limit_id'].some((name) => names.includes(name));
  const last = Math.max(...FILLED_IN.map((name) => names.lastIndexOf(name)));
  if (!namesRows || last < 0 || last < names.lastIndexOf(ACCOUNT_COLUMN)) return false;
  for (let record = await nextRecord(table); record; record = await nextRecord(table))
    if (record.cells[last]?.trim()) return true;
  return false;
}
