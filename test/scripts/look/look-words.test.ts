import { expect, test } from 'vitest';
import { dryRunWords } from '../../../scripts/look/dry-run.ts';
import { type ImportPreview, lookWords, questionOf } from '../../../scripts/look/look.ts';
import type { Column } from '../../../src/portfolio/columns/column.ts';
import { PLAIN_DIALECT } from '../../../src/table/dialect.ts';

const plain = { needed: false, guess: null, currency: null, thousands: false };
const columns: Column[] = [
  { ...plain, index: 0, written: 'Firma', known: 'name', by: 'alias' },
  { ...plain, index: 1, written: 'Notiz', known: null, by: null },
];

const look: ImportPreview = {
  account: 'https://api.example',
  portfolio: 'q4',
  path: '/tmp/Buyers Q4.csv',
  supplierPath: undefined,
  replace: false,
  first: undefined,
  total: undefined,
  counts: { lines: 1_203, rows: 1_200, invalid: 2, duplicate: 1 },
  warnings: 1,
  opened: { dialect: PLAIN_DIALECT, columns, headerLine: 1, above: null, misstated: [] },
  dryRun: {
    limits: 1_190,
    existing: 0,
    companies: 1_100,
    documents: 12,
    uploadBytes: 3_450_000,
    requested: '1234567.5',
    open: 3,
    replaced: 0,
    besides: { limits: 2, requested: '71000' },
    alike: 1,
    before: { limits: 8, companies: 90, held: 2, needAnswer: 1 },
    durationS: 300,
  },
  largest: [
    { line: 7, name: 'Müller Stahl GmbH', requested: '1000000' },
    { line: 12, name: `Evil\u001b[2K ${'x'.repeat(60)}`, requested: '9.5' },
  ],
  others: [],
  ratePerS: 8.04,
};

test('a preview lists what would be requested, what would be skipped and why, and the duration', () => {
  expect(lookWords(look)).toEqual([
    'Account   https://api.example, portfolio q4',
    'File      Buyers Q4.csv: 1,203 lines; 1,200 good, 2 invalid, 1 duplicate, 1 warning',
    '          (npx limitline check lists them)',
    '          Read as UTF-8, separated by commas, lines end in CRLF.',
    '          Columns read: Firma as name.',
    '          Columns kept, but not sent: Notiz.',
    'Requests  1,190 limits, 1,234,567.50 in total; 3 of them wait already',
    'Of these  2 are for buyers that have another limit (71,000.00)',
    '          1 is for a buyer that may be known under another identifier',
    'Skips     8 requested before',
    '          1 under way',
    '          1 held (npx limitline report NAME --state held)',
    'Largest   1,000,000.00  line 7, Müller Stahl GmbH',
    `                  9.50  line 12, Evil\u241b[2K ${'x'.repeat(30)}…`,
    'Creates   1,100 companies; 12 documents to upload, 3.5 MB',
    'Takes     about 5 min, at 8.0 calls a second',
  ]);
  expect(questionOf(look)).toBe('Request these 1,190 limits? [y/N] ');
  expect(questionOf({ ...look, first: 5 })).toBe('Request these 1,190 limits, 5 of them now? [y/N] ');
  expect(questionOf({ ...look, first: 1_190 })).toBe('Request these 1,190 limits? [y/N] ');
});

// Promise: lacking-rows-said
test('a preview leaves out empty parts, and shows the rows that are cancelled and kept', () => {
  const dryRun = {
    ...look.dryRun,
    limits: 1,
    open: 0,
    documents: 0,
    before: null,
    durationS: null,
    besides: { limits: 0, requested: '0' },
  };
  const counts = { lines: 1, rows: 1, invalid: 0, duplicate: 0 };
  const small = { ...look, dryRun, counts, warnings: 0, replace: true, supplierPath: 'us.csv', largest: [] };
  const words = lookWords({ ...small, ratePerS: undefined }).join('\n');
  expect(words).not.toMatch(/another limit|Skips|Largest|check lists/);
  expect(words).toContain('Supplier  us.csv');
  expect(words).not.toMatch(/Cancels|Keeps/);
  const lacking = { ...small, dryRun: { ...dryRun, lacking: 2, lackingSent: 1_200 } };
  const cancels = 'Cancels   2 rows of earlier imports that are not in this file and were not sent';
  expect(lookWords(lacking).join('\n')).toContain(
    `${cancels}\nKeeps     1,200 rows of earlier imports that are not in this file`,
  );
  expect(lookWords({ ...lacking, replace: false }).join('\n')).toContain('Keeps     1,202 rows of earlier imports');
  const cut = lookWords({ ...lacking, dryRun: { ...lacking.dryRun, isCut: true } }).join('\n');
  expect(cut).not.toContain('Cancels');
  expect(cut).toMatch(/Keeps {5}1,202 rows of earlier imports.*\n {10}The file ends within its last line/);
  expect(words).toContain('Takes     not known yet');
  expect(questionOf(small)).toBe('Request this limit? [y/N] ');
});

test('a preview without new requests has no parts about largest requests, calls and duration', () => {
  const dryRun = {
    ...look.dryRun,
    limits: 0,
    requested: '0',
    companies: 0,
    documents: 0,
    open: 0,
    besides: { limits: 0, requested: '0' },
    alike: 0,
  };
  const words = lookWords({ ...look, dryRun, largest: [] }).join('\n');
  expect(words).toContain('Requests  0 limits, 0.00 in total\nSkips     8 requested before');
  expect(words).not.toMatch(/Largest|Creates|Takes/);
  const counts = { ...look.counts, rows: 8 };
  expect(lookWords({ ...look, counts, dryRun, largest: [] })).toContain('Requests  8 rows, all requested before');
});

// Promise: check-counts-the-import
test('check and preview group the digits of their sums by thousands', () => {
  expect(dryRunWords(look.dryRun, 'EUR')).toMatch(/ \(EUR [\d,.]+ in total\), create/);
  expect(lookWords({ ...look, currency: 'EUR' }).join('\n')).toMatch(/^Requests .*, EUR [\d,.]+ in total/m);
  const words = dryRunWords(look.dryRun);
  expect(words).toContain('An import would request 1,190 limits (1,234,567.50 in total)');
  expect(words).toContain(', create 1,100 companies and upload 12 documents (3.5 MB).');
  expect(words).toContain('another limit, open, made or in this file, and come on top of it (71,000.00 in total).');
  expect(words).toMatch(
    / 8 limits were requested before .* 90 companies exist already\. 1 more is under way .* 1 more is held /,
  );
});

test.each([
  [2, 0, '2 more are under way and will not be requested again.', /held/],
  [2, 2, '2 more are held and will not be requested again. To say what became of held calls', /under way/],
  [2, 1, '1 more is under way and will not be requested again. 1 more is held and will', undefined],
])(
  'of %s limits that are held or under way, only the %s held ones need an answer of a person',
  (held, needAnswer, said, not) => {
    const dryRun = { ...look.dryRun, before: { limits: 8, companies: 90, held, needAnswer } };
    const skipped =
      lookWords({ ...look, dryRun })
        .join('\n')
        .split('Skips')[1] ?? '';
    for (const words of [dryRunWords(dryRun), skipped]) if (not) expect(words).not.toMatch(not);
    expect(dryRunWords(dryRun)).toContain(said);
  },
);

// Promise: check-names-held-portfolio
test('the command for held limits names the portfolio when it has all of them', () => {
  const before = { limits: 0, companies: 0, held: 1, needAnswer: 1, heldIn: 'q4' };
  const dryRun = { ...look.dryRun, before };
  expect(dryRunWords(dryRun)).toContain('npx limitline report "q4" --state held');
  expect(lookWords({ ...look, dryRun }).join('\n')).toContain('1 held (npx limitline report "q4" --state held)');
});

test('a preview lists rows of other portfolios that are sent as well, and asks about them when nothing else is left', () => {
  const others = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((portfolio, at) => ({ portfolio, rows: at + 1 }));
  const [, second = {}, third = {}] = others;
  Object.assign(second, { amount: '4500.5', currency: 'EUR' });
  Object.assign(third, { amount: '4500.5' });
  expect(lookWords({ ...look, others }).slice(-6)).toEqual([
    'Sends too 1 row of portfolio a',
    '          2 rows of portfolio b (EUR 4,500.50)',
    '          3 rows of portfolio c (4,500.50)',
    '          4 rows of portfolio d',
    '          5 rows of portfolio e',
    '          and rows of 2 more portfolios',
  ]);
  expect(questionOf({ ...look, others, dryRun: { ...look.dryRun, limits: 0 } })).toBe('Send these rows? [y/N] ');
});
