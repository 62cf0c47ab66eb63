import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkedFile, openCorrections } from '../../support/workplace.ts';

const HEADER = 'name,country_code,Kundennummer,Handelsregisternummer,request_reference,requested_limit,Filiale';
const FILE = [HEADER, 'Erle AG,XX,0004802,01002,0017,100,003', 'Buche AG,DE,0004803,01003,,200,004'];

/** What Excel makes of an errors file that it opens and saves. */
const withoutZeros = (text: string) => text.replace(/(?<=^|,)0+(?=\d+(,|\r?$))/gm, '');

/** The numbers that the service was given, of companies with a limit. */
const openPlace = async () => {
  const place = await openCorrections('"01003"');
  const path = join(place.dir, 'q4.errors.csv');
  const numbers = () => place.standIn.things('limit').map(({ body }) => Object(body).company_registration_number);
  const importErrors = async (text: string) => {
    await writeFile(path, text);
    const checked = await checkedFile({ path }, place.context);
    const imported = await place.importFile(path);
    expect(checked.invalid).toEqual(
      imported.problems.map(({ line }) => line).filter((line, at, all) => all.indexOf(line) === at),
    );
    return imported;
  };
  await place.import(FILE);
  await place.work();
  await place.settled();
  return { ...place, numbers, importErrors };
};

// Promise: errors-file-lost-zeros
test('an errors file that lost leading zeros is a problem of its lines, in every round, and nothing of them is sent', async () => {
  const { errors, importErrors, settled, numbers } = await openPlace();
  const first = await errors();
  expect(first).toContain(
    ' line 2 with company_registration_number 01002 and buyer_reference 0004802 and request_reference 0017\r\n',
  );
  const stripped = withoutZeros(first).replace('XX', 'DE');
  expect(stripped).toContain('\nErle AG,DE,4802,1002,17,100,3,');
  const message = expect.stringContaining('This was 01002 in the line that this one corrects');
  const { problems, rows } = await importErrors(stripped);
  expect(rows).toBe(0);
  expect(problems).toMatchObject([
    { line: 2, column: 'Handelsregisternummer', value: '1002', message },
    { line: 2, column: 'Kundennummer', value: '4802' },
    { line: 2, column: 'request_reference', value: '17' },
    // This line names its row, so nobody asks about its reference.
    { line: 3, column: 'Handelsregisternummer', value: '1003' },
  ]);
  const second = await errors();
  expect(await importErrors(withoutZeros(second))).toMatchObject({ rows: 0, invalid: 2 });
  const mended = second.replace('4802,1002,17', '0004802,01002,0017').replace('4803,1003', '0004803,01003');
  expect(await importErrors(mended)).toMatchObject({ rows: 2, problems: [] });
  await settled();
  expect(numbers()).toEqual(['01002']);
});

// Promise: errors-file-lost-zeros
test('a number without leading zeros is taken once the cell limitline_from does not name the other any more', async () => {
  const { errors, importErrors, settled, numbers } = await openPlace();
  const meant = withoutZeros(await errors())
    .replace('XX', 'DE')
    .replace(/ with company_registration_number 0.*/gm, '');
  expect(await importErrors(meant)).toMatchObject({ rows: 2, problems: [] });
  await settled();
  expect(numbers().sort()).toEqual(['1002', '1003']);
});

// Promise: errors-file-lost-zeros
test('a text that is sent by a path keeps its zeros, too, and a number has none', async () => {
  const place = await openCorrections();
  const path = join(place.dir, 'q4.errors.csv');
  const list = join(place.dir, 'q4.csv');
  await writeFile(list, 'name,country_code,PLZ,Filiale,requested_limit\nErle AG,XX,01067,007,100\n');
  const columns = { PLZ: 'company.address.postal_code', Filiale: 'company.branch:number' } as const;
  await place.importFile(list, { mapping: { columns, constants: {} } });
  const text = (await place.errors()).replace('XX', 'DE');
  expect(text).toContain(' line 2 with company.address.postal_code 01067\r\n');
  await writeFile(path, withoutZeros(text));
  expect(await place.importFile(path)).toMatchObject({
    rows: 0,
    problems: [
      {
        column: 'company.address.postal_code:text',
        value: '1067',
        message: expect.stringContaining('delete "company.address.postal_code 01067" in the cell limitline_from'),
      },
    ],
  });
  await writeFile(path, withoutZeros(text).replace(',1067,', ',01067,'));
  expect(await place.importFile(path)).toMatchObject({ rows: 1, problems: [] });
});
