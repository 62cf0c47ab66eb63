import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openWorkplace } from '../../support/workplace.ts';

const HEADER = 'name,country_code,company_registration_number,requested_limit,contact_email';

test('a line that comes back with a fault after its row was given up is in the money and the counts', async () => {
  const { import: importLines, report } = await openWorkplace();
  await importLines([HEADER, 'Acme,DE,HRB 1,1000,', 'Beta,DE,HRB 2,7,']);
  await importLines([HEADER, 'Beta,DE,HRB 2,7,'], { replace: true });
  const answer = await importLines([HEADER, 'Acme,DE,HRB 1,1000,nobody', 'Beta,DE,HRB 2,7,']);
  expect(answer).toMatchObject({ lines: 2, rows: 1, invalid: 1 });
  const { invalid, kept, money } = await report();
  expect([invalid, kept, money.in_file]).toEqual([1, 0, { lines: 2, amount: '1007.00' }]);
});

test('a line whose row another file replaces meanwhile is in the money and the counts', async () => {
  const { importFile, import: importLines, report, dir, context } = await openWorkplace();
  await importLines([HEADER, 'Acme,DE,HRB 1,1000,']);
  await writeFile(join(dir, 'a.csv'), [HEADER, 'Acme,DE,HRB 1,2000,'].join('\n'));
  await writeFile(join(dir, 'b.csv'), [HEADER, 'Acme,DE,HRB 1,1000,nobody'].join('\n'));
  // File a is begun first, and puts its line after file b was read to its end.
  const { ofBuyers } = context.rows;
  context.rows.ofBuyers = async (...args: Parameters<typeof ofBuyers>) => {
    context.rows.ofBuyers = ofBuyers;
    await importFile(join(dir, 'b.csv'));
    return ofBuyers(...args);
  };
  await importFile(join(dir, 'a.csv'));
  const { kept, money } = await report();
  expect([kept, money.in_file]).toEqual([0, { lines: 2, amount: '3000.00' }]);
});

test('an amount in thousands counts as one that cannot be read', async () => {
  const { import: importLines, report } = await openWorkplace();
  await importLines(['name,country_code,requested_limit,unit', 'Acme,DE,1000,', 'Beta,DE,7,TEUR']);
  const { money } = await report();
  expect(money.left_out).toMatchObject({ lines: 1, amount: '0.00' });
});
