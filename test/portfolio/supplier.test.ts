import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buyerKey } from '../../src/portfolio/identity/identity.ts';
import { readSupplier, unsentWords } from '../../src/portfolio/supplier.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

async function read(content: string | Uint8Array) {
  const { write } = await makeTemporaryFolder();
  return readSupplier(await write('supplier.csv', content));
}

test('a supplier file gives a company to create', async () => {
  expect(
    await read('Name,Address.Country-Code,city,website\nNordwind GmbH,DE,Bremen,https://nordwind.example\n'),
  ).toEqual({
    company: {
      name: 'Nordwind GmbH',
      address: { country_code: 'DE', city: 'Bremen', state: null },
      website: 'https://nordwind.example',
    },
    key: buyerKey({ name: 'Nordwind GmbH', countryCode: 'DE' }),
    unsent: [],
  });
});

// Promise: unsent-supplier-columns-named
test('columns that no call sends are listed', async () => {
  expect(await read('name,VAT no,contact_email,city\nNordwind GmbH,1,,Bremen\n')).toMatchObject({
    unsent: ['VAT no', 'contact_email'],
  });
  expect(await read('company_id,name,\ncompany_123,Nordwind,\n')).toEqual({
    companyId: 'company_123',
    unsent: ['name'],
  });
  expect(unsentWords(['VAT no'])).toEqual(["Columns of the supplier's file that are not sent: VAT no."]);
});

test('a supplier file can give the id of a known company', async () => {
  expect(await read('company_id\ncompany_123')).toEqual({ companyId: 'company_123', unsent: [] });
});

test.each<[string, string | Uint8Array, string]>([
  ['nothing in it', '', 'The file is empty'],
  ['no line', 'name,city\n', 'no line below its header'],
  ['two lines', 'name,city\na,b\nc,d\n', 'several lines'],
  ['neither name nor id', 'name,city\n,Bremen\n', 'neither a name nor a company_id'],
  ['a wrong id', 'company_id\n123\n', 'Line 2, company_id "123": This is not a company id'],
  ['a ragged line', 'name,city\na\n', 'Line 2: The line has 1 cell and the header 2'],
  [
    'a list of buyers',
    'name,Kreditlimit\na,5\n',
    'The column "Kreditlimit" asks for a limit, as a list of buyers does',
  ],
  ['a broken header', 'name,"city\na,b\n', 'never closed'],
  ['an old workbook', Buffer.of(0xd0, 0xcf, 0x11, 0xe0), 'Excel workbook'],
  [
    'several problems',
    'name,country_code,website\nNordwind,dex,nordwind\n',
    'Line 2, country_code "dex": dex is not a country code: write the two letters of ISO 3166-1, such as DE or US. Line 2, website "nordwind": This is not a web address',
  ],
])('a supplier file with %s is refused', async (_, content, message) => {
  await expect(read(content)).rejects.toMatchObject({ code: 'FILE', message: expect.stringContaining(message) });
});

test('a missing file is an error', async () => {
  const { dir } = await makeTemporaryFolder();
  await expect(readSupplier(join(dir, 'none.csv'))).rejects.toMatchObject({ code: 'FILE' });
});
