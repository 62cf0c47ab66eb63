import { expect, test } from 'vitest';
import { makeLargest } from '../../../jobs/preview/dry-run.ts';
import type { Line } from '../../../src/portfolio/lines/row.ts';

function lineOf(line: number, requested_limit: string): Line {
  const company = { name: `Buyer ${line}`, address: { state: null } };
  const row = {
    key: `k${line}`,
    buyer: `b${line}`,
    name: company.name,
    company,
    limit: { requested_limit },
    documents: [],
  };
  return { kind: 'row', line, cells: [], changed: [], row, warnings: [] };
}

test('the five largest requests of all batches are kept, of equal ones the first', () => {
  const largest = makeLargest();
  largest.add([lineOf(2, '9.5'), lineOf(3, '10'), lineOf(4, '100.01')]);
  largest.add([lineOf(5, '100.1'), lineOf(6, '10'), lineOf(7, '2'), lineOf(8, '10.00')]);
  largest.add([{ kind: 'invalid', line: 9, cells: [], changed: [], key: '', problems: [] }]);
  expect(largest.result().map(({ line, requested }) => [line, requested])).toEqual([
    [5, '100.1'],
    [4, '100.01'],
    [3, '10'],
    [6, '10'],
    [8, '10.00'],
  ]);
});
