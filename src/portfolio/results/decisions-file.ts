import { grouped } from '../../counted.ts';
import { LimitlineError } from '../../errors.ts';
import type { Dialect } from '../../table/dialect.ts';
import { withoutTextMark } from '../../table/formulas.ts';
import { openTable } from '../../table/open-table.ts';
import type { RawRecord } from '../../table/records.ts';
import { nextRecord } from '../../table/table.ts';
import { vocabularyOf } from '../columns/header-doubts.ts';
import { accountOfLine, otherAccountWords } from '../columns/result-columns.ts';
import { besideAmount } from '../lines/one-currency.ts';
import { HIDDEN, STRUCK } from '../lines/stray-lines.ts';
import { visible } from '../problem.ts';
import { type Decimal, decimalOf } from '../values/amounts.ts';
import type { DateOrder } from '../values/dates.ts';
import { readNull } from '../values/identifiers.ts';
import type { DecisionColumn, Places, ReadValue } from './decision-columns.ts';
import { DECISION_COLUMNS, decisionPlaces, END_OF_DAY, readAmount, readMoment, shortened } from './decision-columns.ts';

/** The service's decision on a limit, which it made after it answered the request. */
export type LimitDecision = {
  /** The line in the file. */
  at: number;
  /** The limit's id; '' if only `row` names it. */
  id: string;
  /** `<portfolio>/<key>`, as in a results file; '' if only `id` names it. */
  row: string;
  status: string;
  /** Decimal text; '' for an empty cell, undefined where the file has no such column. */
  total: string | undefined;
  available: string | undefined;
  /** The currencies that the line's amounts name, as written. */
  currencies?: string[];
  /** When it was decided, in ISO 8601, UTC; undefined if the line does not say it. */
  decided: string | undefined;
};

/**
 * A file of decisions, as read. `silent` counts the lines without a decision, and the problems name lines of that file. `undated` are the
 * silent lines of a results file that have a status and no time. `lacks` has the columns that the file has not, `unread` those of its own
 * that are not read; columns that only results files have are not named.
 */
export type DecisionsFile = {
  decisions: LimitDecision[];
  silent: number;
  undated?: LimitDecision[];
  problems: { at: number; message: string }[];
  warnings?: { at: number; message: string }[];
  lacks: string[];
  unread: string[];
  dialect: Dialect;
  header: string[];
  /** The mapping by which the file is read; `by`: who made it, if it was made for an earlier file with this header. */
  mapped: KeptColumns | { map: readonly string[]; by?: undefined };
};

/** A mapping of a header's columns, `HEADER=COLUMN` each, that a person made for an earlier file, and who it was. */
export type KeptColumns = { map: readonly string[]; by: string };

/** Options for reading a file of decisions. Each is for what the file itself does not tell. */
export type DecisionsReading = {
  /** The sheet of an Excel workbook; by default the first. */
  sheet?: string | undefined;
  /** The account that takes the decisions: a file whose lines name another one is refused. */
  account?: string | undefined;
  /** Whether hidden rows are read too; by default they are not. */
  hiddenRows?: boolean | undefined;
  /** The decimal mark of amounts; by default the one that the file's amounts prove. */
  decimal?: Decimal | undefined;
  dates?: DateOrder | undefined;
  /** `HEADER=COLUMN` for columns whose headers have other names. A column that is mapped so is read even if another one has the known name. */
  map?: readonly string[] | undefined;
  /**
   * Finds the mapping that somebody made for an earlier file with this header. It is used if no `map` is given; an empty one says that no
   * column has another name.
   */
  keptOf?: ((header: readonly string[]) => Promise<KeptColumns | undefined>) | undefined;
  now?: Date;
  mostLines?: number;
};

/** Most lines of one file: they are held in memory, since two of them may contradict each other. */
const MOST_LINES = 500_000;

/** Most bytes of a status. The ledger cuts longer ones, so it could not tell them apart. */
const MOST_STATUS_BYTES = 100;

/**
 * Reads decisions from a table with the columns `status`, one of `buyer_limit_id` and `row`, and, if known, `total_limit`,
 * `available_limit` and `decided_at`. A day without a time means its end, or, while it has
 * not ended, as much as an empty cell; a time without a zone is UTC. In a results file of Limitline only
 * lines with a `decided_at` count: the others say what was known when it was written.
 *
 * @throws LimitlineError `FILE` when it cannot be read, lacks these columns or those of the mapping, has one of them twice, has a line of
 *   another account, or has more than `mostLines` lines; `USAGE` when the mapping names no such column
 */
export async function readDecisionsFile(
  path: string,
  { sheet, account, decimal, map, keptOf, mostLines = MOST_LINES, ...given }: DecisionsReading = {},
): Promise<DecisionsFile> {
  const table = await openTable({ path, vocabulary: vocabularyOf(), ...(sheet === undefined ? {} : { sheet }) });
  try {
    const header = table.header?.cells ?? [];
    const mapped = (map === undefined && (await keptOf?.(header))) || { map: map ?? [] };
    const places = decisionPlaces(path, table, mapped.map);
    const lines: Read[] = [];
    const accountOf = accountOfLine(header);
    for (let record = await nextRecord(table); record; record = await nextRecord(table)) {
      if (lines.length === mostLines) throw tooLong(path, mostLines);
      const theirs = record.fault ? '' : accountOf(record.cells);
      if (account !== undefined && theirs !== '' && theirs !== account)
        throw ofOther(path, record.line, theirs, account);
      lines.push(lineOf(record, places, given.hiddenRows));
    }
    const proven = {
      total_limit: decimalIn(lines, 'total_limit'),
      available_limit: decimalIn(lines, 'available_limit'),
    };
    const lacks = DECISION_COLUMNS.filter((name) => places.of[name] === undefined);
    const { dialect } = table;
    const file: DecisionsFile = {
      decisions: [],
      silent: 0,
      undated: [],
      problems: [],
      warnings: [],
      lacks,
      unread: places.unread,
      dialect,
      header,
      mapped,
    };
    for (const line of lines) take(line, { decimal, proven, places, ...given }, file);
    return file;
  } finally {
    await table.close();
  }
}

/** Most characters of a cell, more than any id, row, status or amount has. Cells are held in memory, and messages quote them. */
const MOST_CELL = 500;

function ofOther(path: string, line: number, theirs: string, ours: string): LimitlineError {
  const message = otherAccountWords({ line: `${path}: line ${line}`, there: 'take the file in there' }, theirs, ours);
  return new LimitlineError('FILE', `${message} Nothing of it was taken.`);
}

function tooLong(path: string, mostLines: number): LimitlineError {
  const message = `${path} has more than ${grouped(mostLines)} lines: split it. Nothing of it was taken.`;
  return new LimitlineError('FILE', message);
}

/**
 * The parts of a line that are kept until the whole file is read: its cells, those that a sheet has as numbers, and why the line is
 * unusable.
 */
type Read = {
  at: number;
  cells: Partial<Record<DecisionColumn, string>>;
  numbers: readonly DecisionColumn[];
  /** The currencies that the number formats of a sheet show. */
  formats: readonly string[];
  fault: string | undefined;
};

function lineOf({ line: at, cells, fault, sheet }: RawRecord, { of, width }: Places, hiddenRows = false): Read {
  const named = Object.entries(of) as [DecisionColumn, number][];
  const read = named.map(([name, place]): [DecisionColumn, string] => {
    const shown = sheet?.shown?.get(place);
    const other = AMOUNTS.has(name) && !shown?.isSameAmount ? shown?.text : undefined;
    const text = other ?? withoutTextMark(cells[place] ?? '').trim();
    return [name, readNull(text) ? '' : text];
  });
  const [long] = read.find(([, cell]) => cell.length > MOST_CELL) ?? [];
  const filled = cells.findLastIndex((cell) => cell !== '') + 1;
  // A sheet's row ends with its last filled cell, so it may be shorter than the header.
  const isOther = filled > width || (sheet === undefined && cells.length < width);
  const message = isOther
    ? `The line has ${cells.length} cells, and the header ${width}: put a cell that holds the separator in quotation marks.`
    : undefined;
  const hidden = sheet?.hidden && !hiddenRows ? HIDDEN : undefined;
  const struck = named.some(([, place]) => sheet?.struck?.includes(place)) ? STRUCK : undefined;
  return {
    at,
    cells: long ? {} : Object.fromEntries(read),
    formats: named.flatMap(([name, place]) => (AMOUNTS.has(name) ? (sheet?.shown?.get(place)?.currency ?? []) : [])),
    numbers: named.flatMap(([name, place]) => (sheet?.numbers.includes(place) ? [name] : [])),
    fault:
      fault?.message ??
      hidden ??
      struck ??
      message ??
      (long && `The cell ${long} has more than ${MOST_CELL} characters, more than any ${long} has: shorten the cell.`),
  };
}

type AmountColumn = 'total_limit' | 'available_limit';
const AMOUNTS: ReadonlySet<DecisionColumn> = new Set<AmountColumn>(['total_limit', 'available_limit']);

/**
 * The decimal separator that a column proves. Plain decimals prove none: results have amounts as `7500.5` in every file, so what a person
 * types beside them may be written otherwise.
 */
function decimalIn(lines: readonly Read[], name: AmountColumn): Decimal | null {
  const written = lines.values().flatMap(({ cells, numbers }) => (numbers.includes(name) ? [] : [cells[name] ?? '']));
  const proofs = new Set(written.filter((cell) => !/^\d+\.\d+$/.test(cell)).map(decimalOf));
  proofs.delete(null);
  const [only = null] = proofs;
  return proofs.size === 1 ? only : null;
}

/**
 * Reads an amount. An ambiguous one such as `100.000` is read by the decimal separator that its column proves, but only if that makes its
 * own separator one of thousands; else it stays a problem.
 */
function amountIn(cell: string, decimal: Decimal | null, proven: Decimal | null): ReadValue {
  const read = readAmount(cell, decimal);
  const isDecided = decimal !== null || proven === null || cell.includes(proven);
  return read.problem === undefined || isDecided ? read : readAmount(cell, proven);
}

type Reading = { proven: Record<AmountColumn, Decimal | null>; places: Places } & Pick<
  DecisionsReading,
  'decimal' | 'dates' | 'now'
>;

function take(line: Read, { decimal, proven, places, dates, now = new Date() }: Reading, file: DecisionsFile): void {
  const { at, cells, numbers } = line;
  const { buyer_limit_id: id = '', row = '', status = '', decided_at: moment = '' } = cells;
  const said = (name: AmountColumn, text: string) => (places.of[name] === undefined ? undefined : text);
  const amountOf = (name: AmountColumn) =>
    amountIn(cells[name] ?? '', numbers.includes(name) ? '.' : (decimal ?? null), proven[name]);
  // A line that is hidden, as in a filtered results file, or struck through needs no word if it would decide nothing anyway.
  const isReadable = line.fault === undefined || line.fault === HIDDEN || line.fault === STRUCK;
  if (isReadable && (status === '' || (places.isResults && moment === ''))) {
    file.silent += 1;
    const total = said('total_limit', amountOf('total_limit').value ?? cells.total_limit ?? '');
    if (status !== '') file.undated?.push({ at, id, row, status, total, available: undefined, decided: undefined });
    if (!places.isResults && (cells.total_limit || cells.available_limit))
      file.warnings?.push({ at, message: NO_STATUS });
    return;
  }
  const [total, available, decided] = [
    amountOf('total_limit'),
    amountOf('available_limit'),
    readMoment(moment, { dates: dates ?? null, now }),
  ];
  const faults = [
    line.fault,
    id === '' && row === '' ? 'The line names no limit: fill in buyer_limit_id or row.' : undefined,
    inColumn('status', status, faultOfText(status)),
    inColumn('total_limit', cells.total_limit, total.problem),
    inColumn('available_limit', cells.available_limit, available.problem),
    inColumn('decided_at', moment, decided.problem),
  ];
  const message = faults.find((fault) => fault !== undefined);
  if (message !== undefined) file.problems.push({ at, message });
  else {
    const amounts = {
      total: said('total_limit', total.value ?? ''),
      available: said('available_limit', available.value ?? ''),
    };
    const beside = [cells.total_limit, cells.available_limit].map((cell = '') => besideAmount(cell));
    const currencies = [...beside, ...line.formats].filter((word) => word !== '');
    const told = currencies.length > 0 ? { currencies } : {};
    file.decisions.push({ at, id, row, status, ...amounts, ...told, decided: unlessToday(decided.value, now) });
  }
}

/** The moment of a decision; undefined if it is the end of a day that has not ended, which would override each correction of that day. */
export function unlessToday(moment: string | undefined, now: Date): string | undefined {
  return moment?.endsWith(END_OF_DAY) && moment > now.toISOString() ? undefined : moment;
}

const NO_STATUS = 'The line has an amount and no status, so it decides nothing: fill in the status.';

/** A problem in the words of a message: with the column, and the beginning of its cell. */
function inColumn(column: DecisionColumn, cell = '', problem: string | undefined): string | undefined {
  if (problem === undefined) return undefined;
  return `${column} "${visible(shortened(cell))}": ${problem}`;
}

/** Why a text cannot be a status; undefined if it can. */
export function faultOfText(status: string): string | undefined {
  if (Buffer.byteLength(status) > MOST_STATUS_BYTES) return `The status is longer than ${MOST_STATUS_BYTES} bytes.`;
  return /\p{C}/u.test(status) ? 'The status has a control character.' : undefined;
}
