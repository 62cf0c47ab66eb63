import { expect, test } from 'vitest';
import { read, told } from '../../support/workbooks.ts';

const HEADER = 'Firma;Land;Registernummer;Kreditlimit\n';
const BUYERS = 'Alpha GmbH;DE;HRB 1;1.000,17\nBeta GmbH;DE;HRB 2;352,00\n';
const FURTHER = 'Gamma AG;DE;HRB 3;2.000,00\n';

// Promise: second-list-not-requested
test('a list below a heading and the header once more is a problem, on each of its pages', async () => {
  const list = `Gesperrte Kunden;;;\n;;;\n${HEADER}${FURTHER}Seite 2;;;\n${HEADER}${FURTHER}`;
  const { lines } = await read(`${HEADER}${BUYERS}${list}`);
  const wanted = expect.stringContaining('below the heading “Gesperrte Kunden” on line 4');
  expect(told(lines.filter(({ line }) => line === 7 || line === 10))).toEqual([wanted, wanted]);
});

// Promise: second-list-not-requested
test('a list below a heading and a header of the same columns in other words is a problem', async () => {
  const { lines } = await read(
    `${HEADER}${BUYERS}Gesperrte Kunden;;;\nName;Country;Register no;Credit limit\n${FURTHER}`,
  );
  expect(told(lines).at(-1)).toContain('below the heading “Gesperrte Kunden” on line 4');
});

// Promise: second-list-not-requested
test.each<[string, string, string]>([
  ['a page number', '', 'Seite 2 von 9'],
  ['the title of the file', 'Kundenliste\n', 'Kundenliste'],
  ['the title of the file with another number', 'Stand 30.09.2026 08:15\n', 'Stand 30.09.2026 08:16'],
  ['the title of the file with the number of the page', 'Kundenliste - Seite 1 von 2\n', 'Kundenliste - Seite 2 von 2'],
  ['a page number alone, where the title has one', 'Kundenliste - Seite 1\n', '- Seite 2 -'],
  ['the title of the file in two cells', 'Kundenliste;;;Stand 01.10.2026\n', 'Kundenliste;;;Stand 02.10.2026'],
  ['a line without an amount and nothing else but a name and a number', '', 'Delta;;HRB 4'],
  ['a number alone', '', '- 2 -'],
  ['nothing', '', ''],
])('lines below %s and the header once more are those of the next page', async (_, title, heading) => {
  const { lines } = await read(`${title}${HEADER}${BUYERS}${heading};;;\n${HEADER}${FURTHER}`);
  expect(lines.at(-1)).toMatchObject({ kind: 'row' });
});

// Promise: second-list-not-requested
test.each<[string, string, string]>([
  ['with a year', HEADER, `${BUYERS}Gesperrte Kunden 2026;;;\n${HEADER}${FURTHER}`],
  [
    'with the number of its page',
    `Kundenliste - Seite 1\n${HEADER}`,
    `${BUYERS}Gesperrte Kunden - Seite 2;;;\n${HEADER}${FURTHER}`,
  ],
  ['below a first list without a line', HEADER, `Gesperrte Kunden;;;\n${HEADER}${FURTHER}`],
  [
    'with the day of its list in another cell',
    HEADER,
    `${BUYERS}Gesperrte Kunden;;;Stand 01.10.2026\n${HEADER}${FURTHER}`,
  ],
  ['of two columns', 'Name;Limit\n', 'Alpha;5\nBeta;6\nGesperrte Kunden;\n\nName;Limit\nGamma SE;7\n'],
])('a heading %s begins a list of its own', async (_, header, lines) => {
  const { lines: found } = await read(`${header}${lines}`);
  expect(told(found).at(-1)).toContain('below the heading “Gesperrte Kunden');
});
