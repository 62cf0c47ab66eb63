import { expect, test } from 'vitest';
import { buyerWords, makeBuyerList } from '../../../scripts/file/buyer-list.ts';
import { read } from '../../support/workbooks.ts';

const HEADER = 'buyer_reference,name,country_code,company_registration_number,requested_limit';

async function listOf(lines: string[]) {
  const opened = await read(`${[HEADER, ...lines].join('\n')}\n`);
  const list = makeBuyerList('');
  list.add(opened.lines);
  return list.result();
}

// Promise: buyers-are-listed
test('the buyer list has the lines that mean one buyer, and says by what', async () => {
  const list = await listOf([
    '1,A GmbH,DE,HRB 1,1',
    '1,A GmbH,DE,,2',
    ',A,DE,HRB1,3',
    '2,B GmbH,DE,HRB 2,4',
    '3,B GmbH,DE,HRB 1,5',
  ]);
  expect(buyerWords(list)).toEqual([
    'Buyers that several lines mean, or that are known already:',
    '  A GmbH (line 2):',
    '    line 3 by its buyer_reference 1',
    '    line 4 by its company registration number HRB1 (A)',
  ]);
});

test('the buyer list ends where nobody reads on, and says how much more there is', async () => {
  const many = Array.from({ length: 120 }, (_none, n) => [`${n},A ${n} GmbH,DE,,1`, `${n},A ${n} GmbH,DE,,2`]).flat();
  const list = await listOf([...many, ...Array.from({ length: 30 }, (_none, n) => `0,A 0 GmbH,DE,,${n + 3}`)]);
  expect(list).toMatchObject({ listed: { length: 100 }, more: 20 });
  expect(list.listed[0]).toMatchObject({ lines: { length: 20 }, more: 11 });
  expect(buyerWords(list).at(-1)).toBe('  and 20 more buyers');
});
