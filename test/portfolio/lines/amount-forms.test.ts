import { expect, test } from 'vitest';
import { read, told } from '../../support/workbooks.ts';

const LINES = 'name;city;requested_limit\nA;Köln;1.700,00\nB;Bonn;2.000,00\nC;Ulm;31.250,50\n';
const POINTS = 'name;requested_limit\nA;12500.00\nB;2000.00\nC;31250.50\n';

// Promise: cut-amount-found
test.each([
  [`${LINES}D;Trier;1.7`],
  [`${LINES}D;Trier;1.70`],
  [`${LINES}D;Trier;1.700`],
  [`${LINES}D;Trier;1.700,`],
  [`${LINES}D;Trier;1.700,0`],
  [`${POINTS}D;12`],
  [`${POINTS}D;12500`],
  [`${POINTS}D;12500.0`],
])('an amount that the end of the file may have cut off is a problem: %j', async (content) => {
  const { lines } = await read(content);
  expect(lines.map(({ kind }) => kind)).toEqual(['row', 'row', 'row', 'invalid']);
  expect(told(lines)).toEqual([
    expect.stringMatching(/^5 requested_limit: (The file ends within this amount|This is not an amount)/),
  ]);
});

test.each([
  ['written as the others', `${LINES}D;Trier;1.700,00`],
  ['of a line that ends with a line break', `${POINTS}D;12\n`],
  ['in quotation marks that are closed', `${POINTS}D;"12"`],
  ['of a file in which amounts are written in several ways', `${POINTS}E;7\nD;12`],
  ['of a file without a fixed number of decimals', 'name;requested_limit\nA;12.5\nB;7.5\nC;8.5\nD;12'],
  ['below too few others', 'name;requested_limit\nA;12.50\nB;7.50\nD;12'],
  ['before another cell', 'name;requested_limit;city\nA;12.50;Köln\nB;7.50;Ulm\nC;8.00;Bonn\nD;12;Tri'],
])('an amount is not suspected of being cut off if it is %s', async (_, content) => {
  const { lines, warnings } = await read(content);
  expect(told(lines)).toEqual([]);
  expect(warnings.map(({ message }) => message)).toEqual([expect.stringMatching(/no document/)]);
});

test('whole amounts with group separators do not make later whole amounts look cut off', async () => {
  const { lines } = await read('name;requested_limit\nA;1,234,567\nB;2,000,000\nC;3,500,000\nD;500');
  expect(lines.map(({ kind }) => kind)).toEqual(['row', 'row', 'row', 'row']);
});

// Promise: cut-file-warned
test.each([
  ['without a line break', 'D', true],
  ['with a line break', 'D\n', false],
])('a file of 1,024 bytes that ends %s gets a warning that it may be cut off: %j', async (_, end, isSaid) => {
  const head = 'requested_limit;name\n1700;';
  const { lines, warnings } = await read(head.padEnd(1024 - end.length - 3, 'x').concat('\n7;', end));
  expect(lines.map(({ kind }) => kind)).toEqual(['row', 'row']);
  expect(warnings.filter(({ message }) => message.startsWith('The file ends within this line'))).toHaveLength(
    isSaid ? 1 : 0,
  );
});

// Promise: both-decimals-warned
test.each<[string, string[]]>([
  [
    'A;1.700,00\nB;1.7\nC;2.000,00\nD;5\n',
    ['3 1.7: 1 amount has a decimal point, and the others have a decimal comma, such as 1.700,00 in line 2'],
  ],
  [
    'A;1,7\nB;1.7\nC;2.25\nD;12,5\nE;9.00 EUR\n',
    [
      '2 1,7: 2 amounts have a decimal comma, this one first, and the others have a decimal point, such as 1.7 in line 3',
    ],
  ],
  ['A;1.700\nB;1.70,0\nC;2,00\n', []],
  ['A;1.700\nB;1.234.567\nC;2,00\n', []],
])('amounts with both decimal separators are accepted with one warning for the file: %j', async (content, words) => {
  const { warnings } = await read(`name;requested_limit\n${content}`);
  const found = warnings.map(
    ({ line, value, message }) => `${line} ${value}: ${message.replace(/: check that.*/, '')}`,
  );
  expect(found.filter((one) => one.includes('decimal'))).toEqual(words);
});
