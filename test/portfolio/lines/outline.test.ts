import { expect, test } from 'vitest';
import { read } from '../../support/workbooks.ts';

/** The warnings of a file that concern the country. */
async function warned(countries: string[]) {
  const lines = countries.map((country, at) => `${country};Buyer ${at} AG;${at + 1}000`);
  const { warnings, lines: found } = await read(`Country;Name;Limit\n${lines.join('\n')}\n`);
  expect(found.every(({ kind }) => kind === 'row')).toBe(true);
  return warnings.flatMap(({ line, column, message }) => (column === 'Country' ? [`${line}: ${message}`] : []));
}

test('countries that stand on the first line of their group alone lead to a warning of the whole file', async () => {
  expect(await warned(['DE', '', '', 'France', '', 'IT'])).toEqual([
    expect.stringMatching(/^3: 3 lines have no country, line 3 first, and each country is on one line alone/),
  ]);
});

test.each([
  ['a country that returns', ['DE', '', 'FR', '', 'DE']],
  ['one group', ['DE', '', '', '', 'FR']],
  ['no country on the first line', ['', 'DE', '', 'FR', '']],
  ['no countries', ['', '', '']],
])('there is no warning with %s', async (_what, countries) => {
  expect(await warned(countries)).toEqual([]);
});
