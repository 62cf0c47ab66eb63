import { describe, expect, test } from 'vitest';
import type { HeaderMeaning } from '../../../src/portfolio/columns/mapping.ts';
import { read } from '../../support/workbooks.ts';

/** The problems of a file, and the names of its rows. */
async function told(content: string, columns?: Record<string, HeaderMeaning>) {
  const { problems, lines } = await read(content, columns && { mapping: { columns, constants: {} } });
  return {
    problems: problems.map(({ column, message }) => `${column}: ${message}`),
    rows: lines.map((line) => (line.kind === 'row' ? line.row.name : line.kind)),
  };
}

describe('a column of numbers whose header means the name', () => {
  // Promise: numbers-are-no-names
  test.each([
    ['Kunde;Debitor;Limit\nZobel AG;K008;1\nWeber KG;K003;2\n', '--map "Kunde=name" --map "Debitor=buyer_reference"'],
    ['Debitor;Bezeichnung;Limit\nD1001;Zobel AG;1\nD1002;Weber KG;2\n', '--map "Bezeichnung=name"'],
    ['Debitor;Debitor Text;Limit\n10001;Zobel AG;1\n10002;Weber KG;2\nSumme;;3\n', '--map "Debitor Text=name"'],
    [
      'Debitor;Kundennr;Kunde;Limit\nDE-1001;1;Zobel AG;1\nDE-1002;2;Weber KG;2\n',
      '--map "Kunde=name" --map "Debitor="',
    ],
    ['Buyer;Anmerkung;Limit\nCUST-0001;;1\nCUST-0002;;2\n', '--map "HEADER=name"'],
  ])('is a problem of the file, and the --map that the problem proposes corrects it: %j', async (content, words) => {
    const { problems, rows } = await told(content);
    const [taken = ''] = /Debitor|Buyer/.exec(content) ?? [];
    expect(problems).toEqual([expect.stringContaining(`${taken}: The cells of this column, such as`)]);
    expect(problems[0]).toContain(words);
    expect(problems[0]).toContain(`--map "${taken}=name"`);
    expect(rows).toEqual([]);
    expect(await told(content, { [taken]: 'name' })).toMatchObject({ problems: [] });
    const said = Object.fromEntries(
      [...words.matchAll(/"([^"]+)=(\w*)"/g)].map(([, at, means]) => [at, means || null]),
    );
    if ('HEADER' in said) return;
    const mended = await told(content, said as Record<string, HeaderMeaning>);
    expect(mended.problems).toEqual([]);
    expect(mended.rows.slice(0, 2)).toEqual(['Zobel AG', 'Weber KG']);
  });

  test.each([
    ['short names', 'Firma;Limit\n3M;1\nO2;2\nC4;3\n1&1 AG;4\nK+S;5\nABB;6\n', 6],
    ['some names with numbers', 'Firma;Limit\nStudio 54;1\nArea 51 Ltd;2\n4711;3\nBuyer 0001;4\n', 4],
    ['no cells', 'Debitor;Kunde;Limit\n;;1\n', 1],
    ['the column name "name"', 'name;limit\nK001;1\nK002;2\n', 2],
  ])('is accepted with %s', async (_what, content, count) => {
    const { problems, rows } = await told(content);
    expect(problems).toEqual([]);
    expect(rows).toHaveLength(count);
  });
});

describe('a column whose header means the name, beside another column with names', () => {
  // Promise: numbers-are-no-names
  test('is a problem of the file, and either --map of the problem corrects it', async () => {
    const content = 'Debitor;Kunde;Limit\nNord;Zobel AG;1\nSued;Weber KG;2\n';
    const { problems, rows } = await told(content);
    expect(problems).toEqual([
      expect.stringMatching(/^Debitor: .*Kunde may both .*--map "Kunde="; .*--map "Debitor="/),
    ]);
    expect(rows).toEqual([]);
    expect(await told(content, { Kunde: null })).toEqual({ problems: [], rows: ['Nord', 'Sued'] });
    expect((await told(content, { Debitor: null, Kunde: 'name' })).rows).toEqual(['Zobel AG', 'Weber KG']);
  });

  test.each([
    ['numbers', 'Firma;Kunde;Limit\nZobel AG;K001;1\nWeber KG;K002;2\n'],
    ['the same names in short form', 'Firma;Matchcode;Limit\nZobel AG;ZOBEL;1\nWeber KG;WEBER KG;2\n'],
    ['hardly any values', 'Firma;Bezeichnung;Limit\nZobel AG;;1\nWeber KG;alt;2\nOst AG;;3\n'],
  ])('is accepted if the other column has %s', async (_what, content) => {
    const { problems, rows } = await told(content);
    expect(problems).toEqual([]);
    expect(rows.slice(0, 2)).toEqual(['Zobel AG', 'Weber KG']);
  });
});

describe('a column whose header means the name, with one name in all lines', () => {
  const content = 'Unternehmen;Partner;Limit\nMuster AG;Zobel AG;1\nMuster AG;Weber KG;2\nMuster AG;Ost AG;3\n';

  // Promise: numbers-are-no-names
  test('is a problem of the file, and either --map of the problem corrects it', async () => {
    const { problems, rows } = await told(content);
    expect(problems).toEqual([
      expect.stringMatching(
        /^Unternehmen: All of the first 3 lines have Muster AG .*"Partner=name" --map "Unternehmen="/,
      ),
    ]);
    expect(rows).toEqual([]);
    expect((await told(content, { Unternehmen: 'name' })).rows).toEqual(['Muster AG', 'Muster AG', 'Muster AG']);
    const { rows: mended } = await told(content, { Partner: 'name', Unternehmen: null });
    expect(mended).toEqual(['Zobel AG', 'Weber KG', 'Ost AG']);
  });

  test.each([
    ['two lines', content.split('\n').slice(0, 3).join('\n')],
    ['another column of words that repeat', content.replace(/(?<=AG;)[\w ]+(?=;)/g, 'new')],
    ['another column of numbers', content.replace(/(?<=AG;)[\w ]+(?=;)/g, 'K-1001')],
  ])('is accepted with %s', async (_what, accepted) => {
    expect((await told(`${accepted}\n`)).problems).toEqual([]);
  });
});
