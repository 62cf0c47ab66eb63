import { expect, test } from 'vitest';
import { read, told } from '../../support/workbooks.ts';

test('a longer line with a text behind the last named column is a problem, where lines end with a delimiter', async () => {
  const { lines } = await read(
    [
      'name,requested_limit,note,',
      'Acme,"1,500.00",x,',
      'Beta,1,500,x,',
      'Delta,2500,x,,,',
      'Eps,2500,x,own',
      'Zeta,2500,x',
      '',
    ].join('\n'),
  );
  const kinds = ['row', 'invalid', 'row', 'row', 'row'];
  expect(lines.map(({ kind }) => kind)).toEqual(kinds);
  expect(told(lines).filter((one) => one.includes('cells'))).toEqual([
    '3 null: The line has 5 cells and the header 4: put a cell that holds a comma in quotation marks, or take the extra comma away.',
  ]);
});

test('an amount that its comma split is a problem where only the header ends with a delimiter, and a remark behind the last name is none', async () => {
  const lines = ['Acme,1,500,x', 'Beta,12,500.00,', 'Gamma,999,x,500', 'Delta,1500,250,x', 'Eps,12,500'];
  const { lines: found } = await read(['name,requested_limit,note,', ...lines, ''].join('\n'));
  expect(found.map(({ kind }) => kind)).toEqual(['invalid', 'row', 'row', 'row', 'row']);
  expect(told(found)[0]).toContain('The line has 4 cells and the header 3: put a cell that holds a comma in quotation');
});
