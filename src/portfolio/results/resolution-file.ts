import { LimitlineError } from '../../errors.ts';
import { openTable } from '../../table/open-table.ts';
import type { RawRecord } from '../../table/records.ts';
import { nextRecord, type Table } from '../../table/table.ts';
import { vocabularyOf } from '../columns/header-doubts.ts';
import { plainName } from '../columns/known-columns.ts';
import { ACCOUNT_COLUMN, otherAccountWords } from '../columns/result-columns.ts';
import { STRUCK } from '../lines/stray-lines.ts';

/** A person's answer for a held row: the id of the object that was made, or undefined for "send again". */
export type Resolution = {
  /** The line in the person's file. */
  at: number;
  /** `<portfolio>/<key>` as in a results file; '' if only a line number names the row. */
  row: string;
  line: number | undefined;
  made: string | undefined;
  /** When the row had changed last as the file was written, in ms; undefined if the file does not say so. */
  updatedMs?: number;
};

/** A file's answers, the number of lines without one, and problems by line of that file. */
export type ResolutionFile = { words: Resolution[]; silent: number; problems: { at: number; message: string }[] };

/**
 * Reads answers for held rows from a table with the column `id` and one of `line` or `row`. `id` holds the id of the
 * made object, `resend`, or nothing. A results file works, too: with such a column added, or with its own id cells
 * filled in. An answered line that names another account than `account` is a problem: two accounts may have rows of one name.
 *
 * @throws LimitlineError `FILE` when it cannot be read, or lacks these columns
 */
export async function readResolutionFile(path: string, account: string): Promise<ResolutionFile> {
  const table = await openTable({ path, vocabulary: vocabularyOf() });
  try {
    const columns = columnsOf(path, table);
    const file: ResolutionFile = { words: [], silent: 0, problems: [] };
    for await (const record of recordsOf(table)) take(record, columns, { file, account });
    return file;
  } finally {
    await table.close();
  }
}

type Columns = (record: RawRecord, name: string) => string;

/** Finds the columns of a file of answers. If a name occurs twice, the last one counts: a results file has the team's own columns first. */
function columnsOf(path: string, { header, unusable }: Table): Columns {
  const names = (header?.cells ?? []).map((cell) => plainName(cell));
  const has = (name: string) => names.includes(name);
  if (header && !unusable && (has('row') || has('line')) && (has('id') || has('state'))) {
    return (record, name) => record.cells[names.lastIndexOf(name)]?.trim() ?? '';
  }
  const message = unusable ?? 'It needs a header with the columns line (or row) and id.';
  throw new LimitlineError('FILE', `${path} cannot be read as answers to held rows. ${message}`);
}

async function* recordsOf(table: Table): AsyncGenerator<RawRecord> {
  for (let record = await nextRecord(table); record; record = await nextRecord(table)) yield record;
}

function take(record: RawRecord, cell: Columns, { file, account }: { file: ResolutionFile; account: string }): void {
  const at = record.line;
  const theirs = cell(record, ACCOUNT_COLUMN);
  const word = wordOf(record, cell);
  if (record.fault) file.problems.push({ at, message: record.fault.message });
  else if (word === '') file.silent += 1;
  else if (record.sheet?.hidden) file.problems.push({ at, message: HIDDEN });
  else if (record.sheet?.struck) file.problems.push({ at, message: STRUCK });
  else if (theirs !== '' && theirs !== account) {
    const message = otherAccountWords({ line: 'The line', there: 'answer it there' }, theirs, account);
    file.problems.push({ at, message });
  } else {
    const [row, line] = [cell(record, 'row'), cell(record, 'line')];
    if (row === '' && !/^[1-9]\d{0,8}$/.test(line)) {
      file.problems.push({ at, message: `The line names no row: "${line}" is not the number of a line.` });
    } else {
      const updated = cell(record, 'updated');
      file.words.push({
        at,
        row,
        line: line === '' ? undefined : Number(line),
        made: /^resend$/i.test(word) ? undefined : word,
        ...(RESULTS_TIME.test(updated) ? { updatedMs: Date.parse(updated) } : {}),
      });
    }
  }
}

/** A time as results files have it. What a spreadsheet program made of it says too little. */
const RESULTS_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const HIDDEN = 'This row is hidden in the sheet, by hand or by a filter: show it, or delete it in the sheet.';

/** The id column of a results file for each step. */
const ID_COLUMNS: Readonly<Record<string, string>> = { company: 'company_id', limit: 'buyer_limit_id' };

/** A line's answer: `bl_1`, `made bl_1`, `resend`, or ''. */
function wordOf(record: RawRecord, cell: Columns): string {
  const said = cell(record, 'id').replace(/^made\s+/i, '');
  if (said !== '' || cell(record, 'state') !== 'held') return said;
  return cell(record, ID_COLUMNS[cell(record, 'step')] ?? '');
}
