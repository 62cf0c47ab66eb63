import type { CellKind } from '../../table/xlsx/cell-xml.ts';
import { isKnownName } from '../columns/aliases.ts';
import { type Column, placeOf } from '../columns/column.ts';
import { extraOfHeader, headerOfExtra } from '../columns/extra-fields.ts';
import type { Conventions } from '../columns/known-columns.ts';
import { errorColumnsOf } from '../columns/result-columns.ts';
import { type CurrencyCheck, withCurrencyDoubt } from '../lines/one-currency.ts';
import { tidied, type Values } from '../lines/read-cells.ts';
import type { Line } from '../lines/row.ts';
import { parseAmount } from '../values/amounts.ts';
import { parseDate } from '../values/dates.ts';
import { markDoubtful, type ValueReading } from '../values/reading.ts';

/** Copies lines into another file so that they read the same there, without the other lines or a mapping. */
export type LineRewriter = ReturnType<typeof makeLineRewriter>;

/**
 * Makes a rewriter that changes little. Mapped headers get our names, the mapping's constants become columns, and so does the currency
 * that the header of the amounts names. Amounts and dates that only their column explains become unambiguous. Cells that are problems in
 * this file are marked, so that no other column can make them valid.
 *
 * @param conventions read for each line, because detection may come later.
 */
export function makeLineRewriter(given: {
  columns: readonly Column[];
  constants?: Values | undefined;
  conventions: Readonly<Conventions>;
  currencies?: Pick<CurrencyCheck, 'conflictAt'>;
}) {
  const { columns, constants = {}, conventions, currencies } = given;
  const amountAt = placeOf(columns, 'requested_limit');
  const { by, currency } = columns[amountAt] ?? {};
  const isAdded = currency && placeOf(columns, 'currency') === -1;
  const added = Object.entries({ ...(isAdded && { currency }), ...constants });
  const dateAt = placeOf(columns, 'statements_dated');
  return {
    header: [...columns.map(headerOf), ...added.map(([name]) => name)],
    /** The index of the column of a currency that the amounts' own header names, too; -1 if there is none. */
    spareAt: isAdded && by !== 'map' ? columns.length : -1,
    cells({ cells, numbers }: Pick<Line, 'cells' | 'numbers'>): string[] {
      const own = columns.map((_column, index) => cells[index] ?? '');
      // A workbook's number has a point, whatever separator the texts of its column use.
      const decimal = numbers?.includes(amountAt) ? '.' : conventions.decimal;
      if (amountAt !== -1) own[amountAt] = plainAmount(own[amountAt] ?? '', decimal);
      const conflictAt = currencies?.conflictAt(cells) ?? -1;
      // A differing currency is marked: in a file of such lines alone, the difference would go unnoticed.
      if (conflictAt === amountAt && amountAt !== -1) own[amountAt] = withCurrencyDoubt(cells[amountAt] ?? '');
      else if (conflictAt !== -1) own[conflictAt] = markDoubtful(cells[conflictAt] ?? '');
      if (dateAt !== -1) own[dateAt] = plainDate(own[dateAt] ?? '', conventions);
      // A line whose amount names another currency gets none from the header: the line may become part of a file of its own.
      const isOther = conflictAt === amountAt && amountAt !== -1;
      return [...own, ...added.map(([name, value]) => (isOther && name === 'currency' ? '' : value))];
    },
    /** Writes into these cells the currency that only the number format of the line's amount names: a text has no such format. */
    addCurrency(own: string[], { currency }: Pick<Line, 'currency'>): string[] {
      if (currency !== undefined && !own[amountAt]?.endsWith(')')) own[amountAt] = `${own[amountAt]} ${currency}`;
      return own;
    },
    /** An empty line in place of one with unreliable cells. It is no valid request until somebody fills it in. */
    blank: (): string[] => [
      ...columns.map(() => ''),
      ...added.map(([name, value]) => (name === 'requested_limit' ? '' : value)),
    ],
  };
}

/** One file's columns in a merged table: their names, and their indexes in the file's lines. */
export type OwnColumns = { names: string[]; places: number[] };

/**
 * Merges the columns of several files, in order of appearance. A name occurs as often as in the file that has it most often. `columnsOf`
 * has, for each file, the index in the merged table of each of the file's columns.
 */
export function mergeColumns(files: readonly (readonly string[])[]): { header: string[]; columnsOf: number[][] } {
  const header: string[] = [];
  const known = new Map<string, number>();
  const columnsOf = files.map((names) => {
    const times = new Map<string, number>();
    return names.map((name) => {
      const time = (times.get(name) ?? 0) + 1;
      times.set(name, time);
      // Header names have no line break in this table, so different pairs of count and name never give the same id.
      const id = `${time}\n${name}`;
      const column = known.get(id) ?? header.push(name) - 1;
      known.set(id, column);
      return column;
    });
  });
  return { header, columnsOf };
}

/** The columns that the team wrote, without those that an errors file added. */
export function resultColumnsOf(header: readonly string[]): OwnColumns {
  return without(errorColumnsOf(header), header);
}

/**
 * A file's columns in an errors file, which is read later without the mapping: as the team wrote them. If several files'
 * headers differ, known columns get our names, so that columns of one meaning become one.
 */
export function errorColumns({ rewriter, columns }: Rewritable, areAlike: boolean): OwnColumns {
  const left = errorColumnsOf(rewriter.header);
  if (areAlike) return without(new Set([...left, rewriter.spareAt]), rewriter.header);
  const own = without(left, rewriter.header);
  const names = own.places.map((place, at) => {
    const column = columns[place];
    const name = own.names[at] ?? '';
    if (column?.known || column?.extra) return column.known ?? name;
    return column && isKnownName(name) ? `${name} (own)` : name;
  });
  return { ...own, names };
}

/** A line's cells, as a workbook shows them. */
export type SheetValues = ReturnType<typeof makeSheetValues>;

/**
 * Makes cells for a workbook. Amounts and dates are recognized by their columns, and become plain if they have one meaning. An ambiguous
 * one stays text.
 */
export function makeSheetValues({ columns, rewriter }: Parts) {
  const amountAt = placeOf(columns, 'requested_limit');
  const dayAt = placeOf(columns, 'statements_dated');
  return {
    /** The line's cells. Amounts and dates are in plain form if they can be read; other cells stay as written. */
    cells(line: Line): string[] {
      const own = [...rewriter.cells(line)];
      const amount = parseAmount(tidied(own[amountAt] ?? ''));
      if ('value' in amount) own[amountAt] = amount.value;
      const day = parseDate(tidied(own[dayAt] ?? ''), { order: null, today: LAST_DAY });
      if ('value' in day) own[dayAt] = day.value;
      return own;
    },
  };
}

/** The type of a column by its name, both for the files' own and for the added ones. */
export function sheetKinds(files: readonly Parts[]): (name: string | undefined) => CellKind {
  const kinds = new Map<string, CellKind>(Object.entries(ADDED));
  for (const { columns, rewriter } of files) {
    for (const [at, { written, known }] of columns.entries()) {
      const kind = known === 'requested_limit' ? 'amount' : known === 'statements_dated' ? 'day' : undefined;
      if (kind) for (const name of [written, rewriter.header[at] ?? written]) kinds.set(name, kind);
    }
  }
  return (name = '') => kinds.get(name) ?? 'text';
}

function headerOf({ written, known, extra, by }: Column): string {
  if (extra) return headerOfExtra(extra);
  // The header would be read as the path of a field to send, since an errors file is read without the mapping. So the team's own column
  // gets a name that is no path.
  if (extraOfHeader(written)) return `${written} (own)`;
  if (by !== 'map') return written;
  return known ?? (isKnownName(written) ? `${written} (own)` : written);
}

function plainAmount(cell: string, decimal: Conventions['decimal']): string {
  return plain(cell, { alone: parseAmount(tidied(cell)), here: parseAmount(tidied(cell), decimal), sure: sureAmount });
}

/** A cell for another file: it must mean the same there as `here`, or be a problem. */
function plain(
  cell: string,
  { alone, here, sure }: { alone: ValueReading; here: ValueReading; sure: (value: string) => string },
): string {
  if ('problem' in alone && !alone.open) return cell;
  if ('problem' in here) return markDoubtful(cell);
  return 'problem' in alone ? sure(here.value) : cell;
}

/** Adds a zero to an amount that would be ambiguous: `1.234` becomes `1.2340`. */
const sureAmount = (value: string): string => ('open' in parseAmount(value) ? `${value}0` : value);

/** The latest date that is accepted: any, since dates were checked when the line was read. */
const LAST_DAY = '9999-12-31';

function plainDate(cell: string, { dates }: Conventions): string {
  return plain(cell, {
    alone: parseDate(tidied(cell), { order: null, today: LAST_DAY }),
    here: parseDate(tidied(cell), { order: dates, today: LAST_DAY }),
    sure: (value) => value,
  });
}

type Rewritable = {
  rewriter: Pick<LineRewriter, 'header' | 'spareAt'>;
  columns: readonly Pick<Column, 'known' | 'extra'>[];
};

function without(left: ReadonlySet<number>, header: readonly string[]): OwnColumns {
  const places = header.flatMap((_name, place) => (left.has(place) ? [] : [place]));
  return { names: places.map((place) => header[place] ?? ''), places };
}

type Parts = { columns: readonly Column[]; rewriter: LineRewriter };

/**
 * The types of columns that results add. `requested_limit` and `statements_dated` are for rows whose file is gone and whose cells come from
 * the ledger.
 */
const ADDED: Record<string, CellKind> = {
  line: 'count',
  total_limit: 'amount',
  available_limit: 'amount',
  updated: 'moment',
  requested_limit: 'amount',
  statements_dated: 'day',
};
