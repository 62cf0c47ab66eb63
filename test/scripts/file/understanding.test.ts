import { expect, test } from 'vitest';
import { understanding, understoodWords } from '../../../scripts/file/understanding.ts';
import { read } from '../../support/workbooks.ts';

// Promise: mapped-fields-are-said
test('columns that a mapping sends by a path are reported as sent, and not as kept', async () => {
  const columns = { PLZ: 'company.address.postal_code', Firma: 'name' } as const;
  const file = 'Firma,requested_limit,PLZ,Betreuer\nA,1000,89073,B\n';
  const opened = await read(file, { mapping: { columns, constants: {} } });
  expect(understoodWords(opened)).toContain(
    "Columns read: Firma as name.\nSent, although the service's document does not show these fields: PLZ as company.address.postal_code.\nColumns kept, but not sent: Betreuer.",
  );
  expect(understanding(opened)).toMatchObject({
    mapped: [
      { column: 'Firma', is: 'name', by: 'map' },
      { column: 'PLZ', is: 'company.address.postal_code', by: 'map' },
    ],
    unmapped: ['Betreuer'],
  });
});

// Promise: read-not-sent
test('columns that are read but not sent are reported apart from unknown columns', async () => {
  const opened = await read('name,Kundennummer,requested_limit,Währung,Betreuer\nA,K-1,1000,EUR,B\n');
  expect(understoodWords(opened)).toContain(
    'Columns read, but not sent: Kundennummer, Währung.\nColumns kept, but not sent: Betreuer.',
  );
});

test('a header that ends with a full stop ends its sentence', async () => {
  const opened = await read('name,requested_limit,Betr.,Kundennr.\nA,1000,B,K-1\n');
  expect(understoodWords(opened)).toContain('Columns read, but not sent: Kundennr.\nColumns kept, but not sent: Betr.');
  expect(understoodWords(opened)).not.toContain('..');
});

// Promise: path-header-not-sent
test('a column whose header is itself a path is kept, and the output explains how to map it', async () => {
  const opened = await read('name,requested_limit,company.address.postal_code,company.contacts\nA,1000,89073,1\n');
  expect(understoodWords(opened)).toContain(
    'Columns kept, but not sent: company.address.postal_code, company.contacts.\nTo send such a column, map it: --map "company.address.postal_code=company.address.postal_code"',
  );
});

test('two columns with the same path are reported as not sent', async () => {
  const columns = { PLZ: 'company.zip', Postleitzahl: 'company.zip', Ort: 'company.town' } as const;
  const opened = await read('name,requested_limit,PLZ,Postleitzahl,Ort\nA,1000,1,2,3\n', {
    mapping: { columns, constants: {} },
  });
  expect(opened.problems).toMatchObject([{ message: expect.stringContaining('sends two columns as company.zip') }]);
  expect(understoodWords(opened)).toContain(
    'does not show these fields: Ort as company.town.\nColumns kept, but not sent: PLZ, Postleitzahl.',
  );
});
