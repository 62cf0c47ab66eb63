import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buyerWords, makeBuyerList } from '../../../scripts/file/buyer-list.ts';
import { openDesk } from '../../support/desk.ts';
import { read } from '../../support/workbooks.ts';

const HEADER = 'buyer_reference,name,country_code,company_registration_number,requested_limit';

async function listOf(lines: string[]) {
  const opened = await read(`${[HEADER, ...lines].join('\n')}\n`);
  const list = makeBuyerList('');
  list.add(opened.lines);
  return list.result();
}

// Promise: buyers-are-listed
test('the buyer list shows the lines that mean one buyer and the identifier that they share', async () => {
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

// Promise: buyers-are-listed
test('the buyer list shows the line of an earlier import that brought a buyer', async () => {
  const { cwd, limitline } = await openDesk(1);
  const write = (name: string, ...lines: string[]) =>
    writeFile(join(cwd, name), ['buyer_reference,name,requested_limit', ...lines].join('\n'));
  await write('jan.csv', '1,A GmbH,1', '2,B GmbH,2', '3,C GmbH,3');
  await limitline('import', 'jan.csv', '--portfolio', 'q4');
  await write('feb.csv', '3,C GmbH,3', '9,Z GmbH,1', '9,Z GmbH,2');
  const { stdout } = await limitline('check', 'feb.csv', '--portfolio', 'q4', '--buyers');
  expect(stdout).toContain('  C GmbH (line 4 of an earlier import):\n    line 2 by its buyer_reference 3\n');
  expect(stdout).toContain('  Z GmbH (line 3):\n    line 4 by its buyer_reference 9\n');
});

test('the buyer list is bounded, and states how many buyers and lines it leaves out', async () => {
  const many = Array.from({ length: 120 }, (_none, n) => [`${n},A ${n} GmbH,DE,,1`, `${n},A ${n} GmbH,DE,,2`]).flat();
  const list = await listOf([...many, ...Array.from({ length: 30 }, (_none, n) => `0,A 0 GmbH,DE,,${n + 3}`)]);
  expect(list).toMatchObject({ listed: { length: 100 }, more: 20 });
  expect(list.listed[0]).toMatchObject({ lines: { length: 20 }, more: 11 });
  expect(buyerWords(list).at(-1)).toBe('  and 20 more buyers');
});
