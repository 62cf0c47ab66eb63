import { describe, expect, test } from 'vitest';
import { headerMeaningOf } from '../../../src/portfolio/columns/aliases.ts';
import { readHeader } from '../../../src/portfolio/columns/read-header.ts';

const known = (written: string) => headerMeaningOf(written).known;

test('a name that is a country in one language and a region in another may be the country', () => {
  expect(headerMeaningOf('Kraj')).toMatchObject({ known: null, guess: 'country_code' });
});

describe('names of columns', () => {
  test.each<[string, string[]]>([
    [
      'name',
      [
        'Customer Name',
        'Name*',
        'NAME1',
        'Name (Adressattyp Unternehmen)',
        'Company Name',
        'Kunde Name',
        'Kundenname:',
        'Debitorenname',
      ],
    ],
    [
      'requested_limit',
      ['Kreditlimit (EUR)', 'Limit [€]', 'Kreditlimit in EUR', 'Credit Limit EUR', 'Credit Limit (LCY)', 'KLIMK'],
    ],
    [
      'requested_limit',
      ['Gewünschtes Limit', 'gew. Limit (EUR)', 'Limit neu', 'Neues Kreditlimit', 'New Limit', 'Limite souhaitée'],
    ],
    [
      'requested_limit',
      ['Kreditlimit (Debitor)', 'Requested Limit (USD)', 'Limit (CHF)*', 'Customer Limit', 'Kreditlinie €'],
    ],
    [
      'buyer_reference',
      [
        'Kundennr.',
        'Kunden-Nr',
        'Kunden Nr.',
        'Customer No.',
        'Customer #',
        'KUNNR',
        'A/C',
        'Entity ID',
        'N° client',
        'Kd.-Nr.',
      ],
    ],
    ['company_registration_number', ['HRB', 'HRB-Nr.', 'Registration No.', 'Handelsregister-Nr.', 'Company Number']],
    [
      'country_code',
      ['Country (ISO)', 'LAND1', 'Land (ISO-Code)', 'Billing Country', 'Country/Region Code', 'Bill to Country'],
    ],
    ['name', ['Ragione sociale', 'Nazwa kontrahenta', 'Naam debiteur', 'Klantnaam']],
    ['requested_limit', ['Fido richiesto (EUR)', 'Gevraagde limiet', 'Limit kredytowy [PLN]', 'Wnioskowany limit']],
    ['city', ['Città', 'Woonplaats', 'Miejscowość', 'Miejscowosc']],
    ['document_purpose', ['Dokumentzweck', 'Zweck der Dokumente', 'Purpose of documents']],
    ['city', ['ORT01', 'Billing City', 'Bill to City', 'Ort:', 'Customer City', 'Firma Ort']],
    ['street', ['STRAS', 'Straße / Hausnummer', 'Bill to Address-Line One', 'Billing Address 1']],
    [
      'contact_first_name',
      ['Ansprechpartner Vorname', 'Vorname (Ansprechpartner)', 'Vorname Ansprechpartner', 'Contact First Name'],
    ],
    ['contact_email', ['Ansprechpartner E-Mail', 'SMTP_ADDR', 'E-Mail Kontakt', 'Main Contact Email', 'E-Mail*']],
    ['supporting_documents', ['Belege', 'Documents (optional)', 'Unterlagen']],
    ['currency', ['Währung', 'WAERS', 'Currency Code', 'devise', 'moneda', 'Currency (ISO 4217)', 'Whg.']],
  ])('recognise %s in %j', (column, names) => {
    expect(names.filter((name) => known(name) !== column)).toEqual([]);
  });

  // Promise: unclear-header-not-taken
  test.each([
    ['Limit (alt)', 'requested_limit'],
    // A column "Account State" may say whether an account is open, and "Registration" may be a date.
    ['Account State', 'state'],
    ['Registration', 'company_registration_number'],
    ['Reg.-Nr.', 'company_registration_number'],
    ['Limit (bisher)', 'requested_limit'],
    ['Konto', 'buyer_reference'],
    ['Zweck', 'document_purpose'],
    ['Purpose', 'document_purpose'],
    ['No.', 'buyer_reference'],
    ['STCD1', 'company_registration_number'],
    ['Internal ID', 'buyer_reference'],
    ['Name (Ort)', 'name'],
    ['Ort (EUR)', 'city'],
    ['Kreditlimit (TEUR)', 'requested_limit'],
    ['Limit in T€', 'requested_limit'],
    ['Credit limit (thousands)', 'requested_limit'],
    ['Limit (USD 000s)', 'requested_limit'],
    ['Limit Mio. EUR', 'requested_limit'],
    ['Kreditlimit k€', 'requested_limit'],
  ])('include %s, which is proposed as %s and not used without confirmation', (written, guess) => {
    expect(headerMeaningOf(written)).toMatchObject({ known: null, guess });
  });

  test.each([
    'Shipping City',
    'Postleitzahl',
    'Bemerkung (E-Mail)',
    'Sachbearbeiter',
    'Limit bis',
    'x'.repeat(100_000),
    '',
    '()',
    'USt-IdNr.',
  ])('have no certain meaning: %s', (written) => expect(known(written)).toBeNull());

  test.each([
    ['Codice cliente;Ragione sociale;Paese;Città;Fido', 'Italian'],
    ['Código do cliente;Razão social;País;Cidade;Limite de crédito', 'Portuguese'],
    ['Debiteurnr;Bedrijfsnaam;Land;Plaats;Aangevraagde limiet', 'Dutch'],
    ['Kundnr;Företagsnamn;Land;Postort;Kreditgräns', 'Swedish'],
    ['Kundenr;Navn;Land;Poststed;Kredittgrense', 'Norwegian'],
    ['Kod kontrahenta;Nazwa;Kod kraju;Miasto;Limit kupiecki', 'Polish'],
    ['Kód;Název firmy;Země;Město;Kreditní limit', 'Czech'],
    ['Vevőkód;Cégnév;Ország;Város;Hitelkeret', 'Hungarian'],
    ['Cari Kodu;Cari Ünvanı;Ülke;Şehir;Kredi Limiti', 'Turkish'],
  ])('of further languages are known: %s', (header) => {
    const named = header.split(';').map(known);
    expect(named.slice(1)).toEqual(['name', 'country_code', 'city', 'requested_limit']);
    expect(named[0] ?? 'buyer_reference').toBe('buyer_reference');
  });

  test('contain a currency', () => {
    const names = ['Kreditlimit (EUR)', 'Limit [€]', 'Limit in US$', 'Limit', 'Credit Limit (LCY)'];
    expect(names.map((name) => headerMeaningOf(name).currency)).toEqual(['EUR', '€', 'US$', null, null]);
  });

  // Promise: unclear-header-not-taken
  test.each(['Limit (TEUR)', 'Limit (thousands)', 'Limit Tsd. EUR', 'Limit (M€)'])(
    'with thousands get a warning that amounts are sent unchanged, also with a mapping: %s',
    (written) => {
      const cells = ['name', written];
      const columns = { [written]: 'requested_limit' } as const;
      const mapped = readHeader({ line: 1, cells, fault: null }, { needed: [], columns });
      const asked = readHeader({ line: 1, cells, fault: null }, { needed: [] });
      for (const { warnings } of [mapped, asked])
        expect(warnings).toMatchObject([{ message: expect.stringContaining('write them in full') }]);
      expect(asked.columns[1]?.known).toBeNull();
    },
  );

  test.each(['Kreditlimit (TEUR)', 'Betrag T€', 'Limit Tsd. EUR'])(
    'with thousands are not proposed for a column, and the problem says why: %s',
    (written) => {
      const cells = ['name', written];
      const { columns, problems } = readHeader({ line: 1, cells, fault: null }, { needed: ['requested_limit'] });
      const why = `${written} is not proposed: its name says that its amounts are in thousands or millions`;
      expect(problems.map(({ message }) => message)).toEqual([expect.stringContaining(why)]);
      expect(problems[0]?.message).not.toContain('--map');
      // The console and a saved mapping propose columns by this guess.
      expect(columns[1]).toMatchObject({ known: null, guess: null });
    },
  );
});

test.each([
  ['company_registration_number', 'Registration number;CVR'],
  ['company_registration_number', 'Organisationsnummer;Handelsregisternummer'],
  ['buyer_reference', 'Codice cliente;Customer number'],
  ['street', 'Address;Adres'],
  ['country_code', 'Land;Nazione'],
  ['currency', 'Currency code;Limit currency'],
])('a usual name of %s is taken beside one of a further language: %s', (known, names) => {
  const cells = ['Company', 'Limit', ...names.split(';')];
  const { columns, problems, warnings } = readHeader({ line: 1, cells, fault: null }, { needed: [] });
  expect({ problems, warnings }).toEqual({ problems: [], warnings: [] });
  const usual = names.startsWith('O') || names.startsWith('Codice') ? 3 : 2;
  expect(columns[usual]).toMatchObject({ known });
  expect(columns[5 - usual]).toMatchObject({ known: null, guess: null });
});

test('of two names of a further language neither is taken', () => {
  const { columns } = readHeader({ line: 1, cells: ['Company', 'KRS', 'REGON'], fault: null }, { needed: [] });
  expect(columns.map(({ known }) => known)).toEqual(['name', null, null]);
});
