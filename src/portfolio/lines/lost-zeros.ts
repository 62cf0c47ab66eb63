import { withoutApostrophe } from '../../table/formulas.ts';
import { type Column, placeOf } from '../columns/column.ts';
import type { KnownColumn } from '../columns/known-columns.ts';
import { isErrorsHeader, mendedRowOf, mendedZerosOf } from '../columns/result-columns.ts';
import { differByZeros } from '../identity/leading-zeros.ts';
import { makeProblem, type Problem } from '../problem.ts';

/** What was read of a line. */
type Read = { values: { readonly [column in KnownColumn]?: string }; problems: Problem[] };

/** Identifiers that are sent to the service. */
const SENT = ['business_information_id', 'company_registration_number'] as const satisfies KnownColumn[];

/** Identifiers that say who or what is meant, which the cell `row` says as well. */
const REFERENCES = ['buyer_reference', 'request_reference'] as const satisfies KnownColumn[];

/**
 * The identifiers of a line that begin with a zero, for the errors file to repeat beside the line, such as `buyer_reference 0004802`. Those
 * that an earlier errors file repeated stay, until the line has them again.
 */
export function zerosOfLine(columns: readonly Column[], cells: readonly string[]): string[] {
  const before = mendedZerosOf(columns.map(({ written }) => written))(cells);
  return [...SENT, ...REFERENCES].flatMap((known) => {
    const cell = withoutApostrophe(cells[placeOf(columns, known)] ?? '').trim();
    const number = WITH_ZEROS.test(cell) ? cell : before.get(known);
    return number !== undefined && (number === cell || differByZeros(cell, number)) ? [`${known} ${number}`] : [];
  });
}

const WITH_ZEROS = /^0+[1-9]\d*$/;

/**
 * Makes a function that adds a problem for each identifier of an errors file's line that lost the zeros at its beginning. Undefined for other
 * files. References are not compared where the line names its row.
 */
export function makeLostZeros(columns: readonly Column[]) {
  const header = columns.map(({ written }) => written);
  if (!isErrorsHeader(header)) return undefined;
  const [mendedRow, mendedZeros] = [mendedRowOf(header), mendedZerosOf(header)];
  return (line: number, cells: readonly string[], { values, problems }: Read): void => {
    const before = mendedZeros(cells);
    if (before.size === 0) return;
    for (const known of mendedRow(cells) === '' ? [...SENT, ...REFERENCES] : SENT) {
      const [value = '', number = ''] = [values[known], before.get(known)];
      if (!differByZeros(value, number)) continue;
      const message = `This was ${number} in the line that this one corrects, and spreadsheet programs remove zeros at the beginning. Write ${number} as before. If ${value} is right, delete "${known} ${number}" in the cell limitline_from.`;
      problems.push(makeProblem(line, columns[placeOf(columns, known)]?.written ?? known, value, message));
    }
  };
}
