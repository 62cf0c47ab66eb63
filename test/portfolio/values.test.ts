import { describe, expect, test } from 'vitest';
import type { KnownColumn } from '../../src/portfolio/columns.ts';
import { makeValueReaders } from '../../src/portfolio/values.ts';

const readers = makeValueReaders({ today: '2026-11-21' });

describe('values that are taken', () => {
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
    expect(readers[column]?.(text)).toEqual({ value: text });
  });

  test('columns without a grammar have no reader', () => {
    expect(Object.keys(readers).sort()).toEqual([
      'company_id',
      'contact_email',
      'country_code',
      'requested_limit',
      'statements_dated',
      'website',
    ]);
  });
});

describe('values that are refused', () => {
  test.each<[KnownColumn, string, string]>([
    ['country_code', 'de', 'Write DE, not de.'],
    ['country_code', 'De', 'Write DE, not De.'],
    ['country_code', 'DEU', 'Write DE, not DEU.'],
    ['country_code', 'UK', 'Write GB, not UK.'],
    ['country_code', 'Germany', 'Write DE, not Germany.'],
    ['country_code', 'united states of america', 'Write US, not united states of america.'],
    ['country_code', 'XX', 'XX is no country code'],
    ['country_code', 'D', 'D is no country code'],
    ['country_code', '__proto__', '__proto__ is no country code'],
    ['website', 'www.example.com', 'Write https://www.example.com:'],
    ['website', 'example.com/about', 'Write https://example.com/about:'],
    ['website', 'ftp://example.com', 'no address on the web'],
    ['website', 'javascript:alert(1)', 'no address on the web'],
    ['website', 'https://', 'no address on the web'],
    ['website', 'https://a.example https://b.example', 'holds a space'],
    ['contact_email', 'anna.berg', 'no e-mail address'],
    ['contact_email', 'anna@berg', 'no e-mail address'],
    ['contact_email', 'anna@example.com, ben@example.com', 'no e-mail address'],
    ['contact_email', 'Anna <anna@example.com>', 'no e-mail address'],
    ['statements_dated', '31.03.2026', 'as YYYY-MM-DD'],
    ['statements_dated', '2026-3-31', 'as YYYY-MM-DD'],
    ['statements_dated', '2026-02-29', 'no such day'],
    ['statements_dated', '2026-13-01', 'no such day'],
    ['statements_dated', '2026-11-22', 'in the future'],
    ['company_id', '8f3a', 'begins with company_'],
    ['company_id', 'company_', 'begins with company_'],
    ['company_id', 'COMPANY_1', 'begins with company_'],
    ['requested_limit', '1,5', 'decimal comma'],
  ])('%s %s', (column, text, message) => {
    expect(readers[column]?.(text)).toEqual({ problem: expect.stringContaining(message) });
  });
});
