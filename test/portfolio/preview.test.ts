import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Document } from '../../src/documents/folder.ts';
import { makeKeySet } from '../../src/portfolio/identity/digest.ts';
import { buyerKey } from '../../src/portfolio/identity/identity.ts';
import type { Line } from '../../src/portfolio/lines/row.ts';
import { makeForecaster } from '../../src/portfolio/preview.ts';

const document = (path: string, sizeBytes: number): Document => ({ name: path, path, sizeBytes, mediaType: 'a/b' });

function line(name: string, amount: string, more: { companyId?: string; documents?: Document[] } = {}): Line {
  const { documents = [], ...rest } = more;
  const buyer = buyerKey({ name });
  const row = { key: buyer, buyer, name, company: { name, address: { state: null } }, ...rest, documents };
  return {
    kind: 'row',
    line: 2,
    cells: [],
    changed: [],
    warnings: [],
    row: { ...row, limit: { requested_limit: amount } },
  };
}

test('the forecast counts each buyer and file once, and no known companies or invalid lines', () => {
  const forecaster = makeForecaster();
  const shared = document('/a.pdf', 4);
  const invalid: Line = { kind: 'invalid', line: 3, cells: [], changed: [], key: '', problems: [] };
  const fresh = forecaster.add([
    line('A', '0.1', { documents: [shared] }),
    line('A', '0.2', { documents: [shared, document('/b.pdf', 3)] }),
    line('B', '7', { companyId: 'company_1' }),
    invalid,
  ]);
  expect(fresh).toMatchObject({ limits: { length: 3 }, companies: [buyerKey({ name: 'A' })] });
  expect(forecaster.forecast()).toEqual({ limits: 3, documents: 2, companies: 1, uploadBytes: 12, requested: '7.3' });
});

test('the forecast counts a file once for each purpose', () => {
  const forecaster = makeForecaster();
  const statements = document('/a.pdf', 3);
  const taxes = { ...statements, purpose: 'tax_return' };
  for (const documents of [[statements], [taxes], [taxes], [statements]])
    forecaster.add([line('A', '1', { documents })]);
  expect(forecaster.forecast()).toMatchObject({ documents: 2, uploadBytes: 8 });
});

test('the forecast sums a million amounts exactly', () => {
  const forecaster = makeForecaster();
  const batch = Array.from({ length: 1_000 }, () => line('A', '0.000001'));
  for (let n = 0; n < 1_000; n += 1) forecaster.add(batch);
  forecaster.add([line('B', '100000000000000000000')]);
  expect(forecaster.forecast().requested).toBe('100000000000000000001');
});

test('a key set knows which keys were added, like a JavaScript Set', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 5_000 }), { maxLength: 6_000 }), (names) => {
      const [ours, known] = [makeKeySet(), new Set<number>()];
      for (const name of names) {
        expect(ours.add(buyerKey({ name: `${name}` }))).toBe(!known.has(name));
        known.add(name);
      }
    }),
    { numRuns: 20 },
  );
});
