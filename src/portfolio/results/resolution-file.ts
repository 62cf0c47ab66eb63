import { LimitlineError } from '../../errors.ts';
import { openTable } from '../../table/open-table.ts';
import type { RawRecord } from '../../table/records.ts';
import { nextRecord, type Table } from '../../table/table.ts';
import { vocabularyOf } from '../columns/judge-header.ts';
import { plainName } from '../columns/known-columns.ts';

/** What a person says of one held row: the id of what was made, or that nothing was, so that it may be sent again. */
export type Resolution = {
  /** Where it stands in the person's own file. */
  at: number;
  /** `<portfolio>/<key>` as a results file has it; '' where the row is named by its line alone. */
  row: string;
  line: number | undefined;
  made: string | undefined;
};

/** The words of a file; lines of it that say nothing; and what cannot be meant, by the line of that file. */
export type ResolutionFile = { words: Resolution[]; silent: number; problems: { at: number; message: string }[] };

/**
 * Reads what became of held rows, from a table with a column `id` and one of `line` or `row`: in `id` stands the id of what
 * was made, or `resend`, or nothing. A results file will do, with such a column put to it, or with the ids of its held
 * rows filled in where they belong.
 *
 * @throws LimitlineError `FILE` when it cannot be read, or lacks these columns
 */
export async function readResolutionFile(path: string): Promise<ResolutionFile> {
  const table = await openTable({ path, vocabulary: vocabularyOf() });
  try {
    const columns = columnsOf(path, table);
    const file: ResolutionFile = { words: [], silent: 0, problems: [] };
    for await (const record of recordsOf(table)) take(record, columns, file);
    return file;
  } finally {
    await table.close();
  }
}

type Columns = (record: RawRecord, name: string) => string;

/** Of two columns of one name the last: in a results file ours stand behind the team's own. */
function columnsOf(path: string, { header, unusable }: Table): Columns {
  const names = (header?.cells ?? []).map((cell) => plainName(cell));
  const has = (name: string) => names.includes(name);
  if (header && !unusable && (has('row') || has('line')) && (has('id') || has('state'))) {
    return (record, name) => record.cells[names.lastIndexOf(name)]?.trim() ?? '';
  }
  const message = unusable ?? 'It needs a header with the columns line (or row) and id.';
  throw new LimitlineError('FILE', `${path} does not say what became of held rows. ${message}`);
}

async function* recordsOf(table: Table): AsyncGenerator<RawRecord> {
  for (let record = await nextRecord(table); record; record = await nextRecord(table)) yield record;
}

function take(record: RawRecord, cell: Columns, file: ResolutionFile): void {
  const at = record.line;
  const word = wordOf(record, cell);
  if (record.fault) file.problems.push({ at, message: record.fault.message });
  else if (word === '') file.silent += 1;
  else {
    const [row, line] = [cell(record, 'row'), cell(record, 'line')];
    if (row === '' && !/^[1-9]\d{0,8}$/.test(line)) {
      file.problems.push({ at, message: `It names no row: "${line}" is not the number of a line.` });
    } else {
      file.words.push({
        at,
        row,
        line: line === '' ? undefined : Number(line),
        made: /^resend$/i.test(word) ? undefined : word,
      });
    }
  }
}

/** The columns of a results file in which the ids of a step stand. */
const ID_COLUMNS: Readonly<Record<string, string>> = { company: 'company_id', limit: 'buyer_limit_id' };

/** `bl_1`, `made bl_1`, `resend`, or nothing: what is said of this line. */
function wordOf(record: RawRecord, cell: Columns): string {
  const said = cell(record, 'id').replace(/^made\s+/i, '');
  if (said !== '' || cell(record, 'state') !== 'held') return said;
  return cell(record, ID_COLUMNS[cell(record, 'step')] ?? '');
}
