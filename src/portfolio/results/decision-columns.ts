import { grouped } from '../../counted.ts';
import { cutText } from '../../cut-text.ts';
import { LimitlineError } from '../../errors.ts';
import type { Table } from '../../table/table.ts';
import { DAY_MS } from '../../time-units.ts';
import { minuteText } from '../../utc-text.ts';
import { plainName } from '../columns/known-columns.ts';
import { isResultsHeader } from '../columns/result-columns.ts';
import { visible } from '../problem.ts';
import { type Decimal, parseAmount } from '../values/amounts.ts';
import { type DateOrder, parseDate } from '../values/dates.ts';
import { outcomeColumns } from './outcomes.ts';

/** Most headers that a message names. */
const HEADERS_NAMED = 10;

export const DECISION_COLUMNS = [
  'buyer_limit_id',
  'row',
  'status',
  'total_limit',
  'available_limit',
  'decided_at',
] as const;
export type DecisionColumn = (typeof DECISION_COLUMNS)[number];

/** Where the columns are, how many there are, which are not read, and whether it is a results file of Limitline. */
export type Places = {
  of: Partial<Record<DecisionColumn, number>>;
  width: number;
  unread: string[];
  isResults: boolean;
};

/**
 * Finds the columns of decisions in a header. In a results file, the team's own columns stand before the results and may have their
 * names: these are not read.
 *
 * @throws LimitlineError `FILE` if a needed column is missing, or the file has a name twice
 */
export function decisionPlaces(path: string, { header, unusable }: Table, map: readonly string[]): Places {
  const names = (header?.cells ?? []).map((cell) => plainName(cell));
  const mapped = mappedPlaces(path, names, map);
  const taken = new Set(Object.values(mapped));
  const own = DECISION_COLUMNS.flatMap((name) => {
    const at = names.lastIndexOf(name);
    return at === -1 || taken.has(at) || mapped[name] !== undefined ? [] : [[name, at]];
  });
  const of: Places['of'] = { ...Object.fromEntries(own), ...mapped };
  const isResults = isResultsHeader(header?.cells ?? []);
  const isUsable = header && !unusable && of.status !== undefined && (of.buyer_limit_id ?? of.row) !== undefined;
  const results = outcomeColumns(header?.cells ?? []);
  const resultsAt = Math.min(...(results?.values() ?? []));
  const twice = DECISION_COLUMNS.find((name) => {
    const from = results?.has(name) ? resultsAt : 0;
    return mapped[name] === undefined && names.indexOf(name, from) !== names.lastIndexOf(name);
  });
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
    ? 'The file is a results file: add a column decided_at, and fill that column in on the lines that were decided.'
    : `It needs a header with the columns buyer_limit_id (or row) and status.${headerWords(header?.cells ?? [], missing)}`;
  if (unusable || isResults || !header)
    throw new LimitlineError('FILE', `${path} has no decisions. ${unusable ?? needs}`);
  throw new ColumnsUnknown(`${path}: its columns are not known. ${needs}`, header.cells);
}

/** The columns of decisions that no header of the file names, so that a person may say which of its other columns they are. */
export function columnsToName(header: readonly string[]): DecisionColumn[] {
  const names = header.map((cell) => plainName(cell));
  return DECISION_COLUMNS.filter((name) => !names.includes(name));
}

/** The error of a file of decisions with a header in which no column tells which limits are meant, or none tells their status. */
export class ColumnsUnknown extends LimitlineError {
  readonly header: readonly string[];

  constructor(message: string, header: readonly string[]) {
    super('FILE', message);
    this.header = header;
  }
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
    const said = entry.slice(at + 1).trim();
    const name = DECISION_COLUMNS.find((one) => one === said);
    const header = entry.slice(0, Math.max(at, 0)).trim();
    if (name === undefined || header === '') {
      const message = `The mapping "${visible(entry)}" ${mapFault(at === -1 ? undefined : header, said)}. Known are ${DECISION_COLUMNS.join(', ')}.`;
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

/** Why a mapping names no column of decisions, as a part of a sentence. */
function mapFault(header: string | undefined, name: string): string {
  if (header === undefined) return 'is not HEADER=COLUMN: it has no "="';
  if (header === '') return 'is not HEADER=COLUMN: no header stands before its "="';
  if (name !== '' && name !== '-') return 'names no column of decisions';
  return 'says no column behind its "=": write one there, or leave the mapping out, since a column that is not meant needs no mapping';
}

/** Most characters of a cell that a message quotes. */
const MOST_QUOTED = 60;

/** A cell's text as a message quotes it, cut to {@link MOST_QUOTED} characters. */
export function shortened(cell: string): string {
  return cutText(cell, MOST_QUOTED);
}

/** A cell's value, or why it has none. */
export type ReadValue = { value?: string; problem?: string };

/** An amount of zero, which {@link parseAmount} refuses: `0`, `0.00 EUR`, `€ 0,00`. */
const NOTHING = /^[^\d-]*0+(?:[.,]0*)?[^\d-]*$/;

/** Reads an amount that may be zero. An empty text has no value and no problem. */
export function readAmount(text: string, convention: Decimal | null): ReadValue {
  if (text === '') return {};
  if (NOTHING.test(text) && !text.includes('(')) return { value: '0' };
  const read = parseAmount(text, convention);
  return 'problem' in read ? { problem: read.problem.replace('above zero', 'zero or more') } : read;
}

const MOMENT = /^([-./\d]{8,10})(?:T|,? )(\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?) ?(Z|[+-]\d\d:\d\d)?$/i;
/** How the moment ends that a day without a time means. */
export const END_OF_DAY = 'T23:59:59.999Z';
/**
 * How far in the future a decision's time may be, since clocks differ. A later time mostly belongs to another time zone, and would override
 * all decisions until it has come.
 */
export const AHEAD_MS = 600_000;

/** The remedy for a time that is read in another time zone than the person meant. */
export const ZONE_WORDS = 'Times without a zone are read as UTC: write the zone behind the time, such as +01:00.';

/**
 * Reads when something was decided, and answers it in ISO 8601, UTC. The text is a day in any form that a date may have, or such a day with
 * a time after it. A day means its end, even while it has not ended.
 * @param given.aheadMs how far in the future a time, or the beginning of a day, may be
 */
export function readMoment(
  text: string,
  { dates, now, aheadMs = AHEAD_MS }: { dates: DateOrder | null; now: Date; aheadMs?: number },
): ReadValue {
  if (text === '') return {};
  const [, day = '', time = '', zone = 'Z'] = MOMENT.exec(text) ?? [];
  const date = parseDate(day === '' ? text : day, { order: dates, today: '9999-12-31' });
  if (!('value' in date)) return { problem: `${date.problem} A time may follow the date, like 2026-11-02T10:04:00Z.` };
  const isDay = day === '';
  const ms = Date.parse(isDay ? `${date.value}T00:00:00Z` : `${date.value}T${time}${zone.toUpperCase()}`);
  if (Number.isNaN(ms)) return { problem: 'There is no such time.' };
  if (ms > now.getTime() + aheadMs) {
    const problem = `This is in the future, read as ${minuteText(ms)}. ${ZONE_WORDS}`;
    return { problem: isDay ? 'This is in the future.' : problem };
  }
  return { value: new Date(isDay ? ms + DAY_MS - 1 : ms).toISOString() };
}
