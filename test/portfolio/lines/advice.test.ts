import { describe, expect, test } from 'vitest';
import {
  adviceDates,
  adviceFor,
  advisedCurrency,
  readStatements,
  statementsText,
} from '../../../src/portfolio/lines/advice.ts';
import { currencyOf } from '../../../src/portfolio/values/currencies.ts';

describe('adviceDates', () => {
  test.each([
    ['2026-11-21T00:00:00Z', '2026-11-21', '2025-01-21'],
    // It is already tomorrow in Kiribati.
    ['2026-11-21T10:00:00Z', '2026-11-22', '2025-01-22'],
    // 22 months before 31 December there is no day 31.
    ['2026-12-31T00:00:00Z', '2026-12-31', '2025-02-28'],
    ['2025-12-30T00:00:00Z', '2025-12-30', '2024-02-29'],
    ['2026-10-31T00:00:00Z', '2026-10-31', '2024-12-31'],
  ])('at %s today is %s, and the oldest statements are of %s', (now, today, oldest) => {
    expect(adviceDates(new Date(now))).toEqual({ today, oldest });
  });
});

describe('adviceFor', () => {
  const dates = { today: '2026-11-21', oldest: '2025-01-21' };
  test.each<[string, number, string | undefined, string | null]>([
    ['750000', 0, undefined, null],
    ['750000.01', 0, undefined, 'requested_limit'],
    ['750000.01', 1, undefined, 'supporting_documents'],
    ['750000.01', 2, undefined, null],
    ['900000', 2, '2025-01-21', null],
    ['900000', 2, '2025-01-20', 'statements_dated'],
    ['900000', 1, '2025-01-20', 'statements_dated'],
    ['900000', 0, '2025-01-20', 'requested_limit'],
    ['1000', 1, '2001-01-01', null],
  ])('for limit %s with %i documents, dated %s, concerns %s', (requested_limit, documents, dated, column) => {
    const values = { requested_limit, ...(dated ? { statements_dated: dated } : {}) };
    expect(adviceFor(values, { documents }, dates)?.column ?? null).toBe(column);
  });

  test.each<[string, string | null, Record<string, number>, string | null]>([
    ['800000', 'EUR', {}, null],
    ['800000', 'EUR', { EUR: 700_000 }, 'Above EUR 700k,'],
    ['700000', 'EUR', { EUR: 700_000 }, null],
    ['700000', 'EUR', { EUR: 650_500 }, 'Above EUR 650500,'],
    ['800000', 'GBP', { EUR: 700_000 }, null],
    ['800000', '£', { GBP: 600_000 }, 'Above GBP 600k,'],
    ['800000', '$', { EUR: 700_000 }, 'Above USD 750k,'],
    ['800000', null, { EUR: 700_000 }, 'Above USD 750k,'],
    ['800000', 'USD', { USD: 900_000 }, null],
  ])('for %s in %s, with %j, begins with %s', (requested_limit, word, above, begins) => {
    const currency = advisedCurrency(word === null ? null : currencyOf(word), above);
    const message = adviceFor({ requested_limit }, { documents: 0, currency, above }, dates)?.message;
    expect(message === undefined ? null : message.slice(0, begins?.length)).toBe(begins);
  });
});

test.each(['евро (старый)', 'Local currency', '1'])(
  'the unknown currency "%s" is stored for the nightly check as XXX',
  (word) => {
    const currency = advisedCurrency(new Set([word.toUpperCase()]));
    expect(readStatements(statementsText('800000', undefined, currency)).currency).toBe('XXX');
  },
);

describe('statementsText', () => {
  test.each<[string, string | undefined, string | undefined, string | undefined]>([
    ['800000', '2025-12-31', undefined, '2025-12-31'],
    ['800000', '2025-12-31', 'GBP', '2025-12-31 GBP'],
    ['800000', undefined, 'GBP', 'GBP'],
    ['720000', undefined, 'EUR', 'EUR'],
    ['700000', '2025-12-31', 'EUR', undefined],
    ['800000', undefined, undefined, undefined],
  ])('for %s, dated %s, in %s is %s', (amount, dated, currency, text) => {
    expect(statementsText(amount, dated, currency, { EUR: 700_000 })).toBe(text);
    if (text !== undefined) expect(readStatements(text)).toEqual({ dated, currency });
  });
});
