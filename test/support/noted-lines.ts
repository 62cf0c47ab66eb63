import type { FaultyLine } from '../../src/ledger/portfolios/faulty-lines.ts';

/** Two files as imports know them. */
export const file = { id: 'f'.repeat(64), fileName: 'q4.csv', reading: '{}' };
export const other = { ...file, id: 'e'.repeat(64), fileName: 'other.csv' };

/** What may be wrong with a line. */
export const BAD = { kind: 'invalid', message: 'bad' } as const;
export const TWICE = { kind: 'duplicate', message: 'twice' } as const;

/** Lines as an import notes them: line, what is wrong, key of its request, its amount. */
export const lines = (...noted: [number, FaultyLine | null, string?, (string | undefined)?][]) =>
  new Map(noted.map(([line, fault, key = '', amount]) => [line, { key, fault, amount }]));
