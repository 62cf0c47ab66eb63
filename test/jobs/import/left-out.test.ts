import { expect, test } from 'vitest';
import { openWorkplace } from '../../support/workplace.ts';

const HEADER = 'name,request_reference,requested_limit,currency,contact_email';

test('each line left out counts with its amount, however often its file is imported', async () => {
  const { import: importLines, report } = await openWorkplace();
  const all = [
    HEADER,
    'Acme,R1,100.10,EUR,',
    'Beta,R2,20.05,EUR,nobody',
    'Acme,R1,100.10,EUR,',
    'Gamma,R3,many,EUR,',
    'Total,,220.25,,',
  ];
  for (let time = 0; time < 2; time += 1) {
    await importLines(all);
    expect((await report())?.money).toMatchObject({
      in_file: { lines: 5, amount: '220.25' },
      left_out: { lines: 4, amount: '120.15', without_amount: 2 },
      waiting: { lines: 1, amount: '100.10' },
    });
  }
  // The faulty line of a request that has its row counts as that row.
  await importLines([HEADER, 'Acme,R1,100.10,EUR,nobody', 'Beta,R2,20.05,EUR,']);
  expect((await report())?.money).toMatchObject({
    in_file: { lines: 2, amount: '120.15' },
    left_out: { lines: 0, amount: '0.00' },
    waiting: { lines: 2, amount: '120.15' },
  });
});

test('an amount in another currency is in no sum of the lines left out', async () => {
  const { import: importLines, report } = await openWorkplace();
  await importLines([
    HEADER,
    'Acme,R1,100.10,EUR,',
    'Beta,R2,20.05,USD,nobody',
    'Gamma,R3,7 USD,,',
    'Delta,R4,? 9,EUR,',
  ]);
  expect((await report())?.money).toMatchObject({
    in_file: { lines: 4, amount: '100.10' },
    left_out: { lines: 3, amount: '0.00', without_amount: 3 },
  });
});

test('an amount in thousands counts as one that cannot be read', async () => {
  const { import: importLines, report } = await openWorkplace();
  await importLines(['name,country_code,requested_limit,unit', 'Acme,DE,1000,', 'Beta,DE,7,TEUR']);
  expect((await report())?.money.left_out).toEqual({ lines: 1, amount: '0.00', without_amount: 1 });
});
