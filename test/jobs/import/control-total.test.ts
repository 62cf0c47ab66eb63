import { expect, test } from 'vitest';
import { summaryTable } from '../../../scripts/report/summary-table.ts';
import { openWorkplace } from '../../support/workplace.ts';

const LINES = ['name,country_code,requested_limit,currency', 'A,DE,1000.10,EUR', 'B,DE,2000,EUR'];

// Promise: control-total-stops-import
test('an import is refused if the amounts of the file differ from the control total', async () => {
  const place = await openWorkplace();
  const refused = await place.import(LINES, { total: '3,000.00' });
  expect(refused).toMatchObject({
    lines: 0,
    rows: 0,
    faults: [{ message: 'The control total is 3,000.00, but the amounts of this file add up to 3,000.10, 0.10 more.' }],
  });
  expect((await place.context.portfolios.read('q4')).startedMs).toBeUndefined();
  expect(await place.import(LINES, { total: '3.000,10' })).toMatchObject({ faults: [], rows: 2 });
});

// Promise: control-total-stops-import
test('a wrong control total does not hide ambiguous amounts', async () => {
  const place = await openWorkplace();
  const { faults } = await place.import(['name,country_code,requested_limit', 'A,DE,1.234', 'B,DE,2.500'], {
    total: '1',
  });
  expect(faults.map(({ line, message }) => `${line} ${message.slice(0, 25)}`)).toEqual([
    expect.stringContaining('The control total is 1.00'),
    '2 This may be 1234 or 1.234',
    '3 This may be 2500 or 2.500',
  ]);
});

// Promises: amounts-name-their-currency, several-currencies-said
test('the report shows the currency of the files beside the sums, and warns of several currencies', async () => {
  const place = await openWorkplace();
  await place.import(LINES);
  const still = { supplier: undefined, paused: undefined, interrupted: false };
  const one = await place.report();
  expect(one.money.currencies).toEqual(['EUR']);
  expect(summaryTable(one, still)).toMatch(/lines +amount, EUR +granted/);
  await place.import(['name,country_code,requested_limit', 'C,DE,5'], { portfolio: 'bare' });
  const bare = await place.report('bare');
  expect(bare.money).not.toHaveProperty('currencies');
  expect(bare.money).not.toHaveProperty('without_currency');
  await place.import(LINES, { portfolio: 'bare' });
  const mixed = await place.report('bare');
  expect(mixed.money).toMatchObject({ currencies: ['EUR'], without_currency: true });
  expect(summaryTable(mixed, still)).toMatch(/lines +amount +granted/);
  expect(summaryTable(mixed, still)).toContain(
    'Some files name EUR, and some no currency; the sums add all amounts as they are.',
  );
  await place.import(['name,country_code,requested_limit', 'C,US,$ 7']);
  const two = await place.report();
  expect(two.money.currencies).toEqual(['EUR', '$']);
  expect(summaryTable(two, still)).toContain(
    'The files name several currencies (EUR, $); the sums add all amounts as they are.',
  );
});
