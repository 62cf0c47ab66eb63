import { withoutTextMark } from '../../table/formulas.ts';
import { type Column, placeOf } from '../columns/column.ts';
import type { ExtraCell } from '../columns/extra-fields.ts';
import type { KnownColumn } from '../columns/known-columns.ts';
import { isErrorsHeader, mendedRowOf, mendedZerosOf } from '../columns/result-columns.ts';
import { differByZeros } from '../identity/leading-zeros.ts';
import { makeProblem, type Problem } from '../problem.ts';

/** What was read of a line. */
type Read = {
  values: { readonly [column in KnownColumn]?: string };
  extras: readonly ExtraCell[];
  problems: Problem[];
};

/** Identifiers that are sent to the service. */
const SENT = ['business_information_id', 'company_registration_number'] as const satisfies KnownColumn[];

/** Identifiers that say who or what is meant, which the cell `row` says as well. */
const REFERENCES = ['buyer_reference', 'request_reference'] as const satisfies KnownColumn[];

/** The names of texts that a person sends by a path, such as `company.address.postal_code`. */
const extrasOf = (columns: readonly Column[]) =>
  columns.flatMap(({ extra, index }) => (extra && !extra.includes(':') ? [{ name: extra, place: index }] : []));

/**
 * The identifiers of a line that begin with a zero, for the errors file to repeat beside the line, such as `buyer_reference 0004802`. Those
 * that an earlier errors file repeated stay, until the line has them again.
 */
export function zerosOfLine(columns: readonly Column[], cells: readonly string[]): string[] {
  const before = mendedZerosOf(columns.map(({ written }) => written))(cells);
  const known = [...SENT, ...REFERENCES].map((name) => ({ name, place: placeOf(columns, name) }));
  return [...known, ...extrasOf(columns)].flatMap(({ name, place }) => {
    const cell = withoutTextMark(cells[place] ?? '').trim();
    const number = WITH_ZEROS.test(cell) ? cell : before.get(name);
    return number !== undefined && (number === cell || differByZeros(cell, number)) ? [`${name} ${number}`] : [];
  });
}

const WITH_ZEROS = /^0+[1-9]\d*$/;

/**
 * Makes a function that adds a problem to a line of an errors file for each identifier that lost the zeros at its beginning. Undefined for
 * other files. References are not compared where the line names its row.
 */
export function makeLostZeros(columns: readonly Column[]) {
  const header = columns.map(({ written }) => written);
  if (!isErrorsHeader(header)) return undefined;
  const [mendedRow, mendedZeros] = [mendedRowOf(header), mendedZerosOf(header)];
  const known = [...SENT, ...REFERENCES].map((name) => ({ name, place: placeOf(columns, name) }));
  const extra = extrasOf(columns);
  return (line: number, cells: readonly string[], { values, extras, problems }: Read): void => {
    const before = mendedZeros(cells);
    if (before.size === 0) return;
    const compare = (name: string, place: number, value: string): void => {
      const number = before.get(name) ?? '';
      if (!differByZeros(value, number)) return;
      const message = `This was ${number} in the line that this one corrects, and spreadsheet programs remove zeros at the beginning. Write ${number} as before. If ${value} is right, delete "${name} ${number}" in the cell limitline_from.`;
      problems.push(makeProblem(line, columns[place]?.written ?? name, value, message));
    };
    for (const { name, place } of mendedRow(cells) === '' ? known : known.slice(0, SENT.length)) {
      compare(name, place, values[name] ?? '');
    }
    for (const { name, place } of extra) {
      compare(name, place, String(extras.find(({ field }) => field === name)?.value ?? ''));
    }
  };
}
