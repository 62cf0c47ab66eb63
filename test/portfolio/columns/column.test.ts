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

test('an amount with its currency, or with commas as in India, that was split is a problem, too', async () => {
  const lines = ['Acme,1,500 EUR,x', 'Beta,1,50,000', 'Gamma,1,500.00 €,x', 'Delta,1500,50,100'];
  const { lines: found } = await read(['name,requested_limit,note,', ...lines, ''].join('\n'));
  expect(found.map(({ kind }) => kind)).toEqual(['invalid', 'invalid', 'invalid', 'row']);
});

test.each([';', '\t', '|'])(
  'no amount is split where cells are divided by %j, whatever number is beside it',
  async (sign) => {
    const lines = ['name,requested_limit,days,', 'Acme,500,120,asked for a higher one', 'Beta,2500,120,', ''];
    const { lines: found } = await read(lines.join('\n').replaceAll(',', sign));
    expect(found.map(({ kind }) => kind)).toEqual(['row', 'row']);
  },
);
