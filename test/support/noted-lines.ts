import type { FaultyLine } from '../../src/ledger/portfolios/faulty-lines.ts';

/** Two files in the form of imports. */
export const file = { id: 'f'.repeat(64), fileName: 'q4.csv', reading: '{}' };
export const other = { ...file, id: 'e'.repeat(64), fileName: 'other.csv' };

/** A fault of a line. */
export const BAD = { kind: 'invalid', message: 'bad' } as const;
export const TWICE = { kind: 'duplicate', message: 'twice' } as const;

/** Lines in the form of imports: line, fault, key of the request, amount. */
export const lines = (...noted: [number, FaultyLine | null, string?, (string | undefined)?][]) =>
  new Map(noted.map(([line, fault, key = '', amount]) => [line, { key, fault, amount }]));
