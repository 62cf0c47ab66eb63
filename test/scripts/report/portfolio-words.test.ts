import { expect, test } from 'vitest';
import type { Listed } from '../../../jobs/operators/list-portfolios.ts';
import { portfolioWords } from '../../../scripts/commands/portfolios.ts';
import { ROW_STATES, type RowState } from '../../../src/ledger/schema/row.ts';

const states = Object.fromEntries(ROW_STATES.map((state) => [state, 0])) as Record<RowState, number>;
const sums = {
  requested: '1234567.50',
  inAllRows: '1234567.50',
  granted: '999.00',
  available: '0.00',
  withoutAvailable: 0,
  grantedBelow: 0,
  grantedNothing: 0,
  before: { granted: '0.00', statuses: {} },
  unreadable: 0,
  byState: Object.fromEntries(ROW_STATES.map((state) => [state, '0.00'])) as Record<RowState, string>,
};
const listed: Listed = {
  portfolio: 'q4',
  file: 'buyers.csv',
  by: null,
  started: '2026-11-21T10:00:59.000Z',
  finished: null,
  standing: 'open',
  currency: null,
  currencies: [],
  withoutCurrency: false,
  lines: 1_203,
  invalid: 1,
  duplicate: 0,
  rows: 1_202,
  states: { ...states, done: 1_200, held: 2 },
  statuses: { approved: 1_200 },
  sums,
};

test.each<[string, Partial<Listed>, string[]]>([
  [
    'a portfolio in progress',
    {},
    [
      'q4                        buyers.csv                2026-11-21 10:00Z  open',
      '    1,200 done, 2 held, 1 line invalid',
      '    requested 1,234,567.50, granted 999.00',
    ],
  ],
  [
    'a portfolio that needs an answer, with a part of its sum requested',
    { standing: 'held', invalid: 0, sums: { ...sums, inAllRows: '2234567.50' } },
    [
      'q4                        buyers.csv                2026-11-21 10:00Z  needs an answer',
      '    1,200 done, 2 held',
      '    requested 1,234,567.50 of 2,234,567.50 in all rows, granted 999.00',
    ],
  ],
  [
    'a portfolio whose files name one currency',
    { currency: 'EUR', sums: { ...sums, inAllRows: '2234567.50' } },
    [
      'q4                        buyers.csv                2026-11-21 10:00Z  open',
      '    1,200 done, 2 held, 1 line invalid',
      '    requested EUR 1,234,567.50 of EUR 2,234,567.50 in all rows, granted EUR 999.00',
    ],
  ],
  [
    'a portfolio whose files name several currencies',
    { currencies: ['CHF', 'EUR'] },
    [
      'q4                        buyers.csv                2026-11-21 10:00Z  open',
      '    1,200 done, 2 held, 1 line invalid',
      '    requested 1,234,567.50, granted 999.00, in several currencies (CHF, EUR)',
    ],
  ],
  [
    'a portfolio of which some files name no currency',
    { currencies: ['EUR'], withoutCurrency: true },
    [
      'q4                        buyers.csv                2026-11-21 10:00Z  open',
      '    1,200 done, 2 held, 1 line invalid',
      '    requested 1,234,567.50, granted 999.00, some in EUR and some without a currency',
    ],
  ],
  [
    'a portfolio with requests made before',
    {
      standing: 'settled',
      invalid: 0,
      states: { ...states, skipped: 3 },
      sums: { ...sums, grantedBelow: 1, before: { granted: '5.00', statuses: {} } },
    },
    [
      'q4                        buyers.csv                2026-11-21 10:00Z  finished',
      '    3 requested before',
      '    requested 1,234,567.50, granted before 5.00, 1 limit below the request (those requested before included)',
    ],
  ],
  [
    'a portfolio with rows in all states',
    { states: { ...states, queued: 5, company: 4, documents: 3, limit: 9, done: 7, cancelled: 2, awaiting: 1 } },
    [
      'q4                        buyers.csv                2026-11-21 10:00Z  open',
      '    5 waiting, 16 sending, 7 done, 2 cancelled, 1 waiting for approval, 1 line invalid',
      '    requested 1,234,567.50, granted 999.00',
    ],
  ],
  [
    'a portfolio with long names, without rows, with its importer',
    {
      by: 'command line (ops)',
      portfolio: 'q'.repeat(40),
      file: null,
      started: null,
      invalid: 0,
      states,
      sums: { ...sums, requested: '0.00', inAllRows: '0.00' },
    },
    [
      'qqqqqqqqqqqqqqqqqqqqqqq…  –                         –  open  by command line (ops)',
      '    no rows',
      '    requested 0.00, granted 999.00',
    ],
  ],
])('%s is described in three lines of 80 columns', (_name, change, lines) => {
  expect(portfolioWords({ ...listed, ...change }).split('\n')).toEqual(lines);
});
