import { expect, test } from 'vitest';
import { controlTotalFault, makeControlSum } from '../../src/portfolio/control-total.ts';
import { read } from '../support/workbooks.ts';

const FILE = 'name,country_code,requested_limit\nA,DE,1000.10\nA,DE,1000.10\nB,DE,303103.90\nC,DE,much\n';

test.each<[string, string | undefined]>([
  ['305104.1', undefined],
  [' 305,104.10 ', undefined],
  ['305.104,10', undefined],
  ['EUR 305,104.10', undefined],
  ['305104', 'The control total is 305,104.00, but the amounts of this file add up to 305,104.10, 0.10 more.'],
  ['305,204.10', 'The control total is 305,204.10, but the amounts of this file add up to 305,104.10, 100.00 less.'],
  // The text can mean two amounts; the file agrees with neither.
  ['305.104', 'The control total is 305.104, but the amounts of this file add up to 305,104.10.'],
])('all readable amounts of a file are compared with the control total %s', async (total, words) => {
  const sum = makeControlSum(total);
  sum.add((await read(FILE)).lines);
  const unread =
    ' 1 line that leads to no request has 1,000.10 of this sum. 1 line is a total or has no amount that can be read.';
  expect(sum.problem()?.message).toBe(words && `${words}${unread}`);
});

test('a total line of the file is counted as a total, and is in no sum', async () => {
  const sum = makeControlSum('5');
  sum.add((await read('name,country_code,requested_limit\nA,DE,1\nB,DE,2\nTotal,,3\n')).lines);
  expect(sum.problem()?.message).toBe(
    'The control total is 5.00, but the amounts of this file add up to 3.00, 2.00 less. 1 line is a total or has no amount that can be read.',
  );
});

test('a line in another currency is reported as being in no sum', async () => {
  const sum = makeControlSum('5');
  const lines = 'A,DE,EUR 1.00\nB,DE,EUR 2.00\nC,US,USD 2.00\nD,DE,EUR 1.50\n';
  sum.add((await read(`name,country_code,requested_limit\n${lines}`)).lines);
  expect(sum.problem()?.message).toBe(
    'The control total is 5.00, but the amounts of this file add up to 4.50, 0.50 less. 1 line in another currency is in no sum.',
  );
});

test.each<[string, boolean]>([
  ['305.104', false],
  ['1', true],
  ['', false],
  ['0', false],
  ['-5', false],
  ['much', false],
  ['1e9', false],
  ['9'.repeat(65), false],
])('%j is a valid control total: %s', (total, can) => {
  expect(controlTotalFault(total) === undefined).toBe(can);
});
