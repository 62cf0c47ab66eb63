import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { LEDGER_COLUMNS, ledgerCells } from '../../../jobs/export/export-lines.ts';
import { isPersonalField, MASK, masked } from '../../../src/console/privacy/mask.ts';
import type { KnownColumn } from '../../../src/portfolio/columns/known-columns.ts';
import { COLUMNS, columnsThat, fieldOf, KNOWN_COLUMNS } from '../../../src/portfolio/columns/known-columns.ts';
import { makeRow } from '../../../src/portfolio/lines/make-row.ts';
import { companyBodySchema, limitBodySchema } from '../../../src/service/schemas.ts';

const by = { conventions: { decimal: null, dates: null }, today: '2026-11-21' };
const read = (column: KnownColumn, text: string) => COLUMNS[column].read?.(text, by);

describe('values that are accepted unchanged', () => {
  test.each<[KnownColumn, string]>([
    ['country_code', 'DE'],
    ['country_code', 'US'],
    ['country_code', 'XK'],
    ['website', 'https://www.example.com'],
    ['website', 'http://localhost:8080/path?q=1'],
    ['website', 'HTTPS://BÜCHER.example/'],
    ['contact_email', 'anna.berg@example.com'],
    ['contact_email', "o'dwyer+limits@mail.example.co.uk"],
    ['contact_email', 'müller&sohn@example.de'],
    ['statements_dated', '2026-11-21'],
    ['statements_dated', '2024-02-29'],
    ['company_id', 'company_8f3a'],
  ])('%s %s', (column, text) => {
    expect(read(column, text)).toEqual({ value: text });
  });

  test('columns without a format have no reader', () => {
    expect(columnsThat((facts) => facts.read === undefined)).toEqual([
      'city',
      'street',
      'state',
      'contact_first_name',
      'contact_last_name',
      'supporting_documents',
    ]);
  });
});

describe('values that are normalised, with a note', () => {
  test.each<[KnownColumn, string, string]>([
    ['country_code', 'de', 'DE'],
    ['country_code', 'DEU', 'DE'],
    ['country_code', 'UK', 'GB'],
    ['country_code', 'Germany', 'DE'],
    ['country_code', 'DEUTSCHLAND', 'DE'],
    ['country_code', 'Allemagne', 'DE'],
    ['country_code', 'España', 'ES'],
    ['country_code', 'Espana', 'ES'],
    ['country_code', 'united states of america', 'US'],
    ['website', 'www.example.com', 'https://www.example.com'],
    ['website', 'example.com/about', 'https://example.com/about'],
    ['statements_dated', '31.03.2026', '2026-03-31'],
    ['statements_dated', '1.4.2026', '2026-04-01'],
    ['statements_dated', '31/03/2026', '2026-03-31'],
    ['statements_dated', '03/31/2026', '2026-03-31'],
    ['statements_dated', '04-04-2026', '2026-04-04'],
    ['statements_dated', '2026/03/31', '2026-03-31'],
    ['statements_dated', '20260331', '2026-03-31'],
    ['statements_dated', '2026-03-31T00:00:00Z', '2026-03-31'],
    ['requested_limit', '1,5', '1.5'],
  ])('%s %s', (column, text, value) => {
    expect(read(column, text)).toEqual({ value, change: expect.any(String) });
  });

  test('a name with line breaks becomes one line, in linear time', () => {
    const change = expect.any(String);
    expect(read('name', 'Acme \r\n\n  GmbH\n \nKöln')).toEqual({ value: 'Acme GmbH Köln', change });
    const start = process.cpuUsage();
    const long = `Acme\nGmbH${' '.repeat(200_000)}x`;
    expect(read('name', long)).toEqual({ value: long.replace('\n', ' '), change });
    const { user, system } = process.cpuUsage(start);
    // Backtracking over each space would take a minute of processor time.
    expect((user + system) / 1_000).toBeLessThan(5_000);
  });
});

describe('values that are refused', () => {
  test.each<[KnownColumn, string, string]>([
    ['country_code', 'Congo', 'may be several countries'],
    ['country_code', 'XX', 'XX is not a country code'],
    ['country_code', 'D', 'D is not a country code'],
    ['country_code', '__proto__', '__proto__ is not a country code'],
    ['website', 'nordwind', 'not a web address'],
    ['website', 'e.g.', 'not a web address'],
    ['website', 'ftp://example.com', 'not a web address'],
    ['website', 'javascript:alert(1)', 'not a web address'],
    ['website', 'https://', 'not a web address'],
    ['website', 'https://a.example https://b.example', 'holds a space'],
    ['contact_email', 'anna.berg', 'not an e-mail address'],
    ['contact_email', 'anna@berg', 'not an e-mail address'],
    ['contact_email', 'anna@example.com, ben@example.com', 'not an e-mail address'],
    ['contact_email', 'Anna <anna@example.com>', 'not an e-mail address'],
    ['statements_dated', '31.03.26', 'as YYYY-MM-DD'],
    ['statements_dated', '2026-03-31 14:30', 'as YYYY-MM-DD'],
    ['statements_dated', '31/31/2026', 'no such day'],
    ['statements_dated', '2026-3-31', 'as YYYY-MM-DD'],
    ['statements_dated', '2026-02-29', 'no such day'],
    ['statements_dated', '2026-13-01', 'no such day'],
    ['statements_dated', '2026-11-22', 'in the future'],
    ['company_id', '8f3a', 'begins with company_'],
    ['company_id', 'company_', 'begins with company_'],
    ['company_id', 'COMPANY_1', 'begins with company_'],
    ['requested_limit', '1.5x', 'letters or signs beside its digits'],
  ])('%s %s', (column, text, message) => {
    expect(read(column, text)).toEqual({ problem: expect.stringContaining(message) });
  });
});

describe('the table of columns', () => {
  const full = Object.fromEntries(KNOWN_COLUMNS.map((column) => [column, `the ${column}`]));
  const row = makeRow(full, 'buyer');
  const sent = columnsThat((facts) => facts.in !== undefined);

  test.each(sent)('%s is sent in a field of the service and exported to its own cell', (column) => {
    const schemas: Record<string, z.ZodObject> = {
      company: companyBodySchema,
      'company.address': companyBodySchema.shape.address.unwrap(),
      limit: limitBodySchema,
      'limit.contact': limitBodySchema.shape.contact.unwrap(),
    };
    expect(schemas[COLUMNS[column].in ?? '']?.shape).toHaveProperty(fieldOf(column));
    expect(row).toHaveProperty(`${COLUMNS[column].in}.${fieldOf(column)}`, `the ${column}`);
    expect(ledgerCells({ ...row, documents: [] })[LEDGER_COLUMNS.indexOf(column)]).toBe(`the ${column}`);
  });

  test('cells that a line does not give are left out of the request bodies', () => {
    expect(makeRow({ name: 'A', requested_limit: '1' }, 'buyer')).toMatchObject({
      company: { name: 'A', address: { state: null } },
      limit: { requested_limit: '1' },
    });
    expect(Object.keys(makeRow({ name: 'A', requested_limit: '1' }, 'buyer').limit)).toEqual(['requested_limit']);
  });

  test.each(KNOWN_COLUMNS)('%s is masked as the table says, both as a cell and as a field', (column) => {
    const isMasked = COLUMNS[column].shown === 'masked';
    const { cell } = masked({ column: 'Theirs', meaning: column, cell: 'a text' });
    expect(cell).toBe(isMasked ? MASK : 'a text');
    expect([isPersonalField(column), isPersonalField(fieldOf(column))]).toEqual([isMasked, isMasked]);
  });

  test('docs/file.md lists every column', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/file.md'), 'utf8');
    const named = page.split('\n').flatMap((line) => (line.startsWith('| `') ? (line.split('|')[1] ?? '') : []));
    expect(KNOWN_COLUMNS.filter((column) => !named.some((cell) => cell.includes(`\`${column}\``)))).toEqual([]);
  });
});
