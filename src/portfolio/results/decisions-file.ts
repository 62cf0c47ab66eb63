import { grouped } from '../../counted.ts';
import { LimitlineError } from '../../errors.ts';
import { openTable } from '../../table/open-table.ts';
import type { RawRecord } from '../../table/records.ts';
import { nextRecord, type Table } from '../../table/table.ts';
import { vocabularyOf } from '../columns/judge-header.ts';
import { plainName } from '../columns/known-columns.ts';
import { type Decimal, decimalOf, parseAmount } from '../values/amounts.ts';
import { parseDate } from '../values/dates.ts';

/** What the service said of a limit after its answer. Amounts are decimal text, '' for none. */
export type LimitDecision = {
  /** The line in the file. */
  at: number;
  /** The limit's id; '' if only `row` names it. */
  id: string;
  /** `<portfolio>/<key>`, as in a results file; '' if only `id` names it. */
  row: string;
  status: string;
  total: string;
  available: string;
  /** When it was decided, in ISO 8601, UTC; undefined if the line does not say it. */
  decided: string | undefined;
};

/** A file's decisions, the number of lines without a status, and problems by line of that file. */
export type DecisionsFile = { decisions: LimitDecision[]; silent: number; problems: { at: number; message: string }[] };

/** Most lines of one file: they are held in memory, some 300 bytes each, since two of them may contradict each other. */
const MOST_LINES = 500_000;

/** Bytes of a status that the ledger tells apart. */
const MOST_STATUS_BYTES = 100;

/**
 * Reads decisions from a table with the columns `status`, one of `buyer_limit_id` and `row`, and, if known, `total_limit`,
 * `available_limit` and `decided_at`. A results file works, too, with its cells corrected. A day without a time means its end, and a time
 * without a zone is UTC.
 *
 * @param decimal the decimal separator of the amounts; by default the one that an amount of the file proves
 * @throws LimitlineError `FILE` when it cannot be read, lacks these columns, or has more than `mostLines` lines
 */
export async function readDecisionsFile(
  path: string,
  {
    decimal,
    now = new Date(),
    mostLines = MOST_LINES,
  }: { decimal?: Decimal | undefined; now?: Date; mostLines?: number } = {},
): Promise<DecisionsFile> {
  const table = await openTable({ path, vocabulary: vocabularyOf() });
  try {
    const cell = cellsOf(path, table);
    const records: RawRecord[] = [];
    for (let record = await nextRecord(table); record; record = await nextRecord(table)) {
      if (records.length === mostLines) throw tooLong(path, mostLines);
      records.push(record);
    }
    const amounts = () => records.values().flatMap((record) => AMOUNTS.map((name) => cell(record, name)));
    const convention =
      decimal ??
      amounts()
        .map(decimalOf)
        .find((found) => found !== null) ??
      null;
    const file: DecisionsFile = { decisions: [], silent: 0, problems: [] };
    for (const record of records) take(record, { cell, convention, now }, file);
    return file;
  } finally {
    await table.close();
  }
}

const AMOUNTS = ['total_limit', 'available_limit'] as const;

type Name = (typeof AMOUNTS)[number] | 'buyer_limit_id' | 'row' | 'status' | 'decided_at';
type Cell = (record: RawRecord, name: Name) => string;

/** If a name occurs twice, the last one counts: a results file has the team's own columns first. */
function cellsOf(path: string, { header, unusable }: Table): Cell {
  const names = (header?.cells ?? []).map((cell) => plainName(cell));
  if (header && !unusable && names.includes('status') && (names.includes('buyer_limit_id') || names.includes('row'))) {
    return (record, name) => record.cells[names.lastIndexOf(name)]?.trim() ?? '';
  }
  const message = unusable ?? 'It needs a header with the columns buyer_limit_id (or row) and status.';
  throw new LimitlineError('FILE', `${path} has no decisions. ${message}`);
}

function tooLong(path: string, mostLines: number): LimitlineError {
  const message = `${path} has more than ${grouped(mostLines)} lines: split it. Nothing of it was taken.`;
  return new LimitlineError('FILE', message);
}

type Reading = { cell: Cell; convention: Decimal | null; now: Date };

function take(record: RawRecord, { cell, convention, now }: Reading, file: DecisionsFile): void {
  const at = record.line;
  const [id, row, status] = [cell(record, 'buyer_limit_id'), cell(record, 'row'), cell(record, 'status')];
  if (!record.fault && status === '') {
    file.silent += 1;
    return;
  }
  const [total, available] = AMOUNTS.map((name) => readAmount(cell(record, name), convention));
  const decided = readMoment(cell(record, 'decided_at'), now);
  const faults = [
    record.fault?.message,
    id === '' && row === '' ? 'It names no limit: fill in buyer_limit_id or row.' : undefined,
    faultOfText(status),
    ...[total, available].map((amount) => amount?.problem),
    decided.problem,
  ];
  const message = faults.find((fault) => fault !== undefined);
  if (message !== undefined) file.problems.push({ at, message });
  else {
    const amounts = { total: total?.value ?? '', available: available?.value ?? '' };
    file.decisions.push({ at, id, row, status, ...amounts, decided: decided.value });
  }
}

function faultOfText(status: string): string | undefined {
  if (Buffer.byteLength(status) > MOST_STATUS_BYTES) return `The status is longer than ${MOST_STATUS_BYTES} bytes.`;
  return /\p{C}/u.test(status) ? 'The status has a control character.' : undefined;
}

type Read = { value?: string; problem?: string };

function readAmount(text: string, convention: Decimal | null): Read {
  if (text === '') return {};
  return /^0+(?:[.,]0*)?$/.test(text) ? { value: '0' } : parseAmount(text, convention);
}

const MOMENT = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?) ?(Z|[+-]\d\d:\d\d)?$/i;
const DAY_MS = 86_400_000;

function readMoment(text: string, now: Date): Read {
  if (text === '') return {};
  const [, day = '', time = '', zone = 'Z'] = MOMENT.exec(text) ?? [];
  const tomorrow = new Date(now.getTime() + DAY_MS).toISOString();
  const date = parseDate(day === '' ? text : day, { order: null, today: '9999-12-31' });
  if (!('value' in date)) return { problem: `${date.problem} A time goes behind it: 2026-11-02T10:04:00Z.` };
  const written = day === '' ? `${date.value}T23:59:59.999Z` : `${date.value}T${time}${zone.toUpperCase()}`;
  const ms = Date.parse(written);
  if (Number.isNaN(ms)) return { problem: `There is no such time: ${text}.` };
  const value = new Date(ms).toISOString();
  return value > tomorrow ? { problem: `It was decided in the future: ${text}.` } : { value };
}
