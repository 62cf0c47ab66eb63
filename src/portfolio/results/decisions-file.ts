import { grouped } from '../../counted.ts';
import { LimitlineError } from '../../errors.ts';
import type { Dialect } from '../../table/dialect.ts';
import { withoutApostrophe } from '../../table/formulas.ts';
import { openTable } from '../../table/open-table.ts';
import type { RawRecord } from '../../table/records.ts';
import { nextRecord, type Table } from '../../table/table.ts';
import { vocabularyOf } from '../columns/judge-header.ts';
import { plainName } from '../columns/known-columns.ts';
import { isResultsHeader } from '../columns/result-columns.ts';
import { HIDDEN } from '../lines/stray-lines.ts';
import { visible } from '../problem.ts';
import { type Decimal, decimalOf } from '../values/amounts.ts';
import type { DateOrder } from '../values/dates.ts';
import { type ReadValue, readAmount, readMoment } from './decision-values.ts';

/** What the service said of a limit after its answer. */
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
  /** When it was decided, in ISO 8601, UTC; undefined if the line does not say it. */
  decided: string | undefined;
};

/**
 * A file's decisions, the number of lines that say none, problems by line of that file, the columns that it lacks, and those of its own that
 * are not read; a results file's own are not named.
 */
export type DecisionsFile = {
  decisions: LimitDecision[];
  silent: number;
  problems: { at: number; message: string }[];
  warnings?: { at: number; message: string }[];
  lacks: string[];
  unread: string[];
  dialect: Dialect;
};

/** How a file of decisions is read, where it does not tell. */
export type DecisionsReading = {
  /** By default the first sheet, without hidden rows, and what amounts of the file prove. */
  sheet?: string | undefined;
  hiddenRows?: boolean | undefined;
  decimal?: Decimal | undefined;
  dates?: DateOrder | undefined;
  /** `HEADER=COLUMN` for columns whose headers are other words; these go before columns that bear the name. */
  map?: readonly string[] | undefined;
  now?: Date;
  mostLines?: number;
};

/** Most lines of one file: they are held in memory, since two of them may contradict each other. */
const MOST_LINES = 500_000;

/** Bytes of a status that the ledger tells apart. */
const MOST_STATUS_BYTES = 100;

/**
 * Reads decisions from a table with the columns `status`, one of `buyer_limit_id` and `row`, and, if known, `total_limit`,
 * `available_limit` and `decided_at`. A day without a time means its end, and a time without a zone is UTC. In a results file of Limitline only
 * lines with a `decided_at` count: the others say what was known when it was written.
 *
 * @throws LimitlineError `FILE` when it cannot be read, lacks these columns or those of the mapping, has one of them twice, or has more than
 *   `mostLines` lines; `USAGE` when the mapping names no such column
 */
export async function readDecisionsFile(
  path: string,
  { sheet, decimal, map = [], mostLines = MOST_LINES, ...given }: DecisionsReading = {},
): Promise<DecisionsFile> {
  const table = await openTable({ path, vocabulary: vocabularyOf(), ...(sheet === undefined ? {} : { sheet }) });
  try {
    const places = placesOf(path, table, map);
    const lines: Read[] = [];
    for (let record = await nextRecord(table); record; record = await nextRecord(table)) {
      if (lines.length === mostLines) throw tooLong(path, mostLines);
      lines.push(lineOf(record, places, given.hiddenRows));
    }
    const convention = decimal ?? decimalIn(lines);
    const lacks = COLUMNS.filter((name) => places.of[name] === undefined);
    const { dialect } = table;
    const file: DecisionsFile = {
      decisions: [],
      silent: 0,
      problems: [],
      warnings: [],
      lacks,
      unread: places.unread,
      dialect,
    };
    for (const line of lines) take(line, { convention, places, ...given }, file);
    return file;
  } finally {
    await table.close();
  }
}

/** Characters of a cell: more than any id, row, status or amount has. Cells are held in memory, and messages quote them. */
const MOST_CELL = 500;

/** Headers that a message names. */
const HEADERS_NAMED = 10;

const COLUMNS = ['buyer_limit_id', 'row', 'status', 'total_limit', 'available_limit', 'decided_at'] as const;
type Name = (typeof COLUMNS)[number];

/** Where the columns are, how many there are, which are not read, and whether it is a results file of Limitline. */
type Places = { of: Partial<Record<Name, number>>; width: number; unread: string[]; isResults: boolean };

/** If a name occurs twice in a results file, the last one counts: the team's own columns come first there. */
function placesOf(path: string, { header, unusable }: Table, map: readonly string[]): Places {
  const names = (header?.cells ?? []).map((cell) => plainName(cell));
  const mapped = mappedPlaces(path, names, map);
  const taken = new Set(Object.values(mapped));
  const own = COLUMNS.flatMap((name) => {
    const at = names.lastIndexOf(name);
    return at === -1 || taken.has(at) || mapped[name] !== undefined ? [] : [[name, at]];
  });
  const of: Places['of'] = { ...Object.fromEntries(own), ...mapped };
  const isResults = isResultsHeader(header?.cells ?? []);
  const isUsable = header && !unusable && of.status !== undefined && (of.buyer_limit_id ?? of.row) !== undefined;
  const twice = isResults
    ? undefined
    : COLUMNS.find((name) => mapped[name] === undefined && names.indexOf(name) !== names.lastIndexOf(name));
  if (twice !== undefined) {
    const message = `${path} has two columns ${twice}, and which of them counts cannot be told: rename one of them. Nothing of it was taken.`;
    throw new LimitlineError('FILE', message);
  }
  if (isUsable && !(isResults && of.decided_at === undefined)) {
    const others = header.cells.filter((cell, place) => cell.trim() !== '' && !Object.values(of).includes(place));
    return { of, width: names.length, unread: isResults ? [] : others, isResults };
  }
  const missing = [
    ...(of.buyer_limit_id === undefined && of.row === undefined ? ['buyer_limit_id'] : []),
    ...(of.status === undefined ? ['status'] : []),
  ];
  const needs = isResults
    ? 'It is a results file: put a column decided_at to it, and fill that in on the lines that were decided.'
    : `It needs a header with the columns buyer_limit_id (or row) and status.${headerWords(header?.cells ?? [], missing)}`;
  throw new LimitlineError('FILE', `${path} has no decisions. ${unusable ?? needs}`);
}

/** The header as it is written, and what to do about the columns that are missing in it. */
function headerWords(cells: readonly string[], missing: readonly string[]): string {
  const filled = cells.filter((cell) => cell.trim() !== '');
  if (filled.length === 0 || missing.length === 0) return '';
  const named = filled.slice(0, HEADERS_NAMED).map((cell) => `"${visible(shortened(cell))}"`);
  const others = filled.length - named.length;
  const more = others > 0 ? ` and ${grouped(others)} more` : '';
  const maps = missing.map((name) => `--map "HEADER=${name}"`).join(' and ');
  return ` Its header has ${named.join(', ')}${more}: rename a column, or name it with ${maps}.`;
}

/** The places of columns that a mapping names, such as `Ergebnis=status`. */
function mappedPlaces(path: string, names: readonly string[], map: readonly string[]): Places['of'] {
  const places: Places['of'] = {};
  for (const entry of map) {
    const at = entry.lastIndexOf('=');
    const name = COLUMNS.find((one) => one === entry.slice(at + 1).trim());
    const header = entry.slice(0, Math.max(at, 0)).trim();
    if (name === undefined || header === '') {
      const message = `The mapping "${visible(entry)}" is not HEADER=COLUMN, with a column out of ${COLUMNS.join(', ')}.`;
      throw new LimitlineError('USAGE', message);
    }
    const place = names.indexOf(plainName(header));
    const fault =
      place === -1
        ? `has no column "${visible(header)}", which the mapping names`
        : place !== names.lastIndexOf(plainName(header))
          ? `has two columns "${visible(header)}", which the mapping names`
          : places[name] !== undefined || Object.values(places).includes(place)
            ? `cannot be read by a mapping that names a column twice: "${visible(entry)}"`
            : undefined;
    if (fault !== undefined) throw new LimitlineError('FILE', `${path} ${fault}. Nothing of it was taken.`);
    places[name] = place;
  }
  return places;
}

function tooLong(path: string, mostLines: number): LimitlineError {
  const message = `${path} has more than ${grouped(mostLines)} lines: split it. Nothing of it was taken.`;
  return new LimitlineError('FILE', message);
}

/** What is kept of a line until the file is read: its cells, which of them are numbers of a sheet, and why it is unusable. */
type Read = { at: number; cells: Partial<Record<Name, string>>; numbers: readonly Name[]; fault: string | undefined };

function lineOf({ line: at, cells, fault, sheet }: RawRecord, { of, width }: Places, hiddenRows = false): Read {
  const named = Object.entries(of) as [Name, number][];
  const read = named.map(([name, place]): [Name, string] => [name, withoutApostrophe(cells[place] ?? '').trim()]);
  const [long] = read.find(([, cell]) => cell.length > MOST_CELL) ?? [];
  const filled = cells.findLastIndex((cell) => cell !== '') + 1;
  // Rows of a sheet end with their last filled cell.
  const isOther = filled > width || (sheet === undefined && cells.length < width);
  const message = isOther
    ? `It has ${cells.length} cells, and the header ${width}: put a cell with a separator into quotes.`
    : undefined;
  const hidden = sheet?.hidden && !hiddenRows ? HIDDEN : undefined;
  return {
    at,
    cells: long ? {} : Object.fromEntries(read),
    numbers: named.flatMap(([name, place]) => (sheet?.numbers.includes(place) ? [name] : [])),
    fault: fault?.message ?? hidden ?? message ?? (long && `Its ${long} is longer than any.`),
  };
}

function decimalIn(lines: readonly Read[]): Decimal | null {
  const amounts = lines.values().flatMap(({ cells, numbers }) => {
    return (['total_limit', 'available_limit'] as const)
      .filter((name) => !numbers.includes(name))
      .map((name) => cells[name] ?? '');
  });
  return amounts.map(decimalOf).find((found) => found !== null) ?? null;
}

type Reading = { convention: Decimal | null; places: Places } & Pick<DecisionsReading, 'dates' | 'now'>;

function take(line: Read, { convention, places, dates, now = new Date() }: Reading, file: DecisionsFile): void {
  const { at, cells, numbers } = line;
  const { buyer_limit_id: id = '', row = '', status = '', decided_at: moment = '' } = cells;
  if (line.fault === undefined && (status === '' || (places.isResults && moment === ''))) {
    file.silent += 1;
    if (!places.isResults && (cells.total_limit || cells.available_limit))
      file.warnings?.push({ at, message: NO_STATUS });
    return;
  }
  const amountOf = (name: 'total_limit' | 'available_limit') =>
    readAmount(cells[name] ?? '', numbers.includes(name) ? '.' : convention);
  const [total, available, decided] = [
    amountOf('total_limit'),
    amountOf('available_limit'),
    readMoment(moment, { dates: dates ?? null, now }),
  ];
  const faults = [
    line.fault,
    id === '' && row === '' ? 'It names no limit: fill in buyer_limit_id or row.' : undefined,
    inColumn('status', status, faultOfText(status)),
    inColumn('total_limit', cells.total_limit, total.problem),
    inColumn('available_limit', cells.available_limit, available.problem),
    inColumn('decided_at', moment, decided.problem),
  ];
  const message = faults.find((fault) => fault !== undefined);
  if (message !== undefined) file.problems.push({ at, message });
  else {
    const said = (name: 'total_limit' | 'available_limit', amount: ReadValue) =>
      places.of[name] === undefined ? undefined : (amount.value ?? '');
    const amounts = { total: said('total_limit', total), available: said('available_limit', available) };
    file.decisions.push({ at, id, row, status, ...amounts, decided: decided.value });
  }
}

const NO_STATUS = 'It has an amount and no status, so it decides nothing: fill in its status.';

/** Characters of a cell that a message quotes. */
const MOST_QUOTED = 60;

/** The problem with its column and the beginning of its cell, as it is told of. */
function inColumn(column: Name, cell = '', problem: string | undefined): string | undefined {
  if (problem === undefined) return undefined;
  return `${column} "${visible(shortened(cell))}": ${problem}`;
}

function shortened(cell: string): string {
  return cell.length > MOST_QUOTED ? `${cell.slice(0, MOST_QUOTED)}…` : cell;
}

/** Why a text cannot be a status; undefined if it can. */
export function faultOfText(status: string): string | undefined {
  if (Buffer.byteLength(status) > MOST_STATUS_BYTES) return `The status is longer than ${MOST_STATUS_BYTES} bytes.`;
  return /\p{C}/u.test(status) ? 'The status has a control character.' : undefined;
}
