import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { RESULT_COLUMNS } from '../../../src/portfolio/columns/result-columns.ts';
import { readDecisionsFile } from '../../../src/portfolio/results/decisions-file.ts';
import { writeWorkbook } from '../../support/workbooks.ts';
import { makeFolder } from '../../support/workplace.ts';

const now = new Date('2026-11-26T12:00:00Z');

async function fileOf(...lines: string[]) {
  const path = join(await makeFolder(), 'later.csv');
  await writeFile(path, `${lines.join('\r\n')}\r\n`);
  return path;
}

const HEADER = 'buyer_limit_id,row,status,total_limit,available_limit,decided_at';

// Promise: decision-by-id-or-row
test('a decisions file of any dialect gives limits by id or row, with optional amounts and times', async () => {
  const path = await fileOf(
    '\uFEFFBuyer limit ID;Status;Total limit;Available limit;Decided at;Row',
    'bl_1;approved;250.000,50;100.000,00;2026-11-02 10:04;',
    ';declined;0;;02.11.2026;q4/abc',
    'bl_3;in_progress;;;2026-11-02T10:04:05+01:00;',
    'bl_4;approved;1.250;1.250;;',
    'bl_5;;;;;',
    'bl_6;declined;0;;26.11.2026 11:50;',
    'bl_7;declined;0;;25/11/2026, 11:50:30;',
  );
  const blank = { id: '', row: '', total: '', available: '', decided: undefined };
  expect(await readDecisionsFile(path, { now })).toEqual({
    decisions: [
      {
        ...blank,
        at: 2,
        id: 'bl_1',
        status: 'approved',
        total: '250000.5',
        available: '100000',
        decided: '2026-11-02T10:04:00.000Z',
      },
      { ...blank, at: 3, row: 'q4/abc', status: 'declined', total: '0', decided: '2026-11-02T23:59:59.999Z' },
      { ...blank, at: 4, id: 'bl_3', status: 'in_progress', decided: '2026-11-02T09:04:05.000Z' },
      { ...blank, at: 5, id: 'bl_4', status: 'approved', total: '1250', available: '1250' },
      { ...blank, at: 7, id: 'bl_6', status: 'declined', total: '0', decided: '2026-11-26T11:50:00.000Z' },
      { ...blank, at: 8, id: 'bl_7', status: 'declined', total: '0', decided: '2026-11-25T11:50:30.000Z' },
    ],
    silent: 1,
    undated: [],
    problems: [],
    warnings: [],
    lacks: [],
    header: expect.arrayContaining(['Total limit']),
    mapped: { map: [] },
    unread: [],
    dialect: expect.objectContaining({ delimiter: ';' }),
  });
});

/** The time so many seconds ahead. */
const ahead = (seconds: number) => new Date(now.getTime() + seconds * 1_000).toISOString();

// Promise: no-decision-of-the-future
test('a time up to ten minutes ahead is accepted', async () => {
  const { decisions } = await readDecisionsFile(await fileOf(HEADER, `bl_1,,approved,1,1,${ahead(600)}`), { now });
  expect(decisions).toMatchObject([{ decided: ahead(600) }]);
});

// Promise: no-decision-of-the-future
test.each([
  ['it names no limit', ',,approved,1,1,', 'names no limit'],
  ['an amount may mean a thousand or one', 'bl_1,,approved,1.234,,', 'say --decimal'],
  ['an amount cannot be read', 'bl_1,,approved,much,,', 'amount'],
  ['an amount is a formula', 'bl_1,,approved,=1+1,,', 'amount'],
  ['an amount is negative', 'bl_1,,approved,-5,,', 'must be zero or more'],
  ['a status is too long', `bl_1,,${'x'.repeat(101)},1,1,`, 'longer than 100 bytes'],
  ['a status has a control character', 'bl_1,,app\u202Eroved,1,1,', 'control character'],
  ['it has more cells than the header', 'bl_1,,approved,1000,50,1000,50', 'has 7 cells, and the header 6'],
  ['it has fewer cells than the header', 'bl_1,,approved', 'has 3 cells, and the header 6'],
  ['a date does not exist', 'bl_1,,approved,1,1,2026-02-30', 'no such day'],
  ['a time does not exist', 'bl_1,,approved,1,1,2026-11-02T25:00:00Z', 'no such time'],
  ['day and month are ambiguous', 'bl_1,,approved,1,1,05/04/2026', 'may come first'],
  ['a date is in the future', 'bl_1,,approved,1,1,2026-12-24', 'in the future'],
  ['a date begins tomorrow', 'bl_1,,approved,1,1,2026-11-27', 'in the future'],
  ['a time is more than ten minutes ahead', `bl_1,,approved,1,1,${ahead(601)}`, 'in the future'],
  [
    'a time without a zone is in the future when read as UTC',
    `bl_1,,approved,1,1,${new Date(now.getTime() + 3_600_000).toISOString().slice(0, 16)}`,
    `read as ${new Date(now.getTime() + 3_600_000).toISOString().slice(0, 16).replace('T', ' ')} UTC. Times without a zone are read as UTC: write the zone behind the time, such as +01:00.`,
  ],
])('a line is not imported if %s', async (_case, line, fault) => {
  const { decisions, problems } = await readDecisionsFile(await fileOf(HEADER, line), { now });
  expect([decisions, problems]).toEqual([[], [{ at: 2, message: expect.stringContaining(fault) }]]);
});

// Promise: decisions-not-taken-named
test('a problem of a cell quotes its column and the beginning of the cell', async () => {
  const path = await fileOf(
    HEADER,
    'bl_1,,approved,much,1,',
    `bl_2,,${'x'.repeat(101)},1,1,`,
    'bl_3,,approved,1,,soon',
    'bl_4,,approved,1,,2026-11-02T25:00:00Z',
  );
  const { problems } = await readDecisionsFile(path, { now });
  expect(problems.map(({ message }) => message)).toEqual([
    expect.stringMatching(/^total_limit "much": ./),
    `status "${'x'.repeat(59)}…": The status is longer than 100 bytes.`,
    expect.stringMatching(/^decided_at "soon": ./),
    'decided_at "2026-11-02T25:00:00Z": There is no such time.',
  ]);
});

const MAPPED = ['Nr=buyer_limit_id', 'Ergebnis = status', 'Höhe=total_limit'];

test('a mapping assigns columns by header, and overrides a column with the exact name', async () => {
  const path = await fileOf('Nr;Ergebnis;Höhe;Status;decided_at', 'bl_1;approved;500;open;2026-11-02');
  const { decisions, unread } = await readDecisionsFile(path, { now, map: MAPPED });
  expect(decisions).toMatchObject([
    { id: 'bl_1', status: 'approved', total: '500', decided: '2026-11-02T23:59:59.999Z' },
  ]);
  expect(unread).toEqual(['Status']);
});

test.each([
  [['Nr=limit'], 'USAGE', 'names no column of decisions. Known are buyer_limit_id, row, status'],
  [['=status'], 'USAGE', 'is not HEADER=COLUMN: no header stands before its "="'],
  [['status'], 'USAGE', 'is not HEADER=COLUMN: it has no "="'],
  [['Nr='], 'USAGE', 'The mapping "Nr=" says no column behind its "=": write one there, or leave the mapping out'],
  [['Nr = -'], 'USAGE', 'says no column behind its "="'],
  [['Wert=status'], 'FILE', 'has no column "Wert"'],
  [['Nr=status', 'Nr=row'], 'FILE', 'names a column twice: "Nr=row"'],
  [['Nr=row', 'Ergebnis=row'], 'FILE', 'names a column twice: "Ergebnis=row"'],
  [['Doppelt=status'], 'FILE', 'has two columns "Doppelt"'],
])('an invalid mapping is refused: %j', async (map, code, words) => {
  const path = await fileOf('Nr;Ergebnis;Doppelt;doppelt', 'bl_1;approved;1;2');
  await expect(readDecisionsFile(path, { now, map })).rejects.toMatchObject({
    code,
    message: expect.stringContaining(words),
  });
});

test('a missing column leaves a value unchanged, and an empty cell says that it is unknown', async () => {
  const path = await fileOf('buyer_limit_id,status,total limit (EUR),available_limit', 'bl_1,approved,500,');
  const { decisions, lacks, unread } = await readDecisionsFile(path, { now });
  expect(decisions).toMatchObject([{ total: undefined, available: '' }]);
  expect(unread).toEqual(['total limit (EUR)']);
  expect(lacks).toEqual(['row', 'total_limit', 'decided_at']);
});

// Promise: only-dated-lines-count
test('in a results file only lines with a decision time count', async () => {
  const header = 'name,row,state,buyer_limit_id,status,total_limit,available_limit,limitline_account,decided_at';
  const path = await fileOf(header, 'A,q4/a,done,bl_1,in_progress,,,s,', "B,q4/b,done,bl_2,'-no,0,,s,2026-11-02");
  expect(await readDecisionsFile(path, { now })).toMatchObject({
    decisions: [{ at: 3, status: '-no', total: '0' }],
    silent: 1,
    undated: [{ at: 2, id: 'bl_1', row: 'q4/a', status: 'in_progress', total: '' }],
    unread: [],
  });
  const without = await fileOf(header.replace(',decided_at', ''), 'A,q4/a,done,bl_1,in_progress,,,s');
  await expect(readDecisionsFile(without, { now })).rejects.toThrow('add a column decided_at');
});

// Promise: decisions-of-own-account-only
test('a results file with a line of another account is refused completely', async () => {
  const header = 'row,buyer_limit_id,status,limitline_account,decided_at';
  const path = await fileOf(header, 'q4/a,bl_1,approved,own,2026-11-02', 'q4/b,bl_2,approved,prod,2026-11-02');
  await expect(readDecisionsFile(path, { now, account: 'own' })).rejects.toMatchObject({
    code: 'FILE',
    message: `${path}: line 3 belongs to account "prod", but this is account "own": set SERVICE_ACCOUNT or SERVICE_URL for that account and take the file in there. If the line is of this account, and a person or a spreadsheet program changed its cell limitline_account, write "own" there again. Nothing of it was taken.`,
  });
  const own = await fileOf(header, 'q4/a,bl_1,approved,own,2026-11-02', 'q4/b,bl_2,approved,,2026-11-02');
  expect((await readDecisionsFile(own, { now, account: 'own' })).decisions).toHaveLength(2);
});

const RESULTS_HEADER = `name,${RESULT_COLUMNS.join(',')}`;

test.each([
  ['status', `${RESULTS_HEADER},decided_at,status`],
  ['status', `${RESULTS_HEADER},Status,decided_at`],
  ['decided_at', `${RESULTS_HEADER},decided_at,decided_at`],
  ['decided_at', `decided_at,${RESULTS_HEADER},decided_at`],
  ['status', RESULTS_HEADER.replace(',step,', ',status,step,').concat(',decided_at')],
])('a results file with two columns %s is refused: %s', async (name, header) => {
  await expect(readDecisionsFile(await fileOf(header, 'A'), { now })).rejects.toThrow(
    `two columns ${name}, and which of them counts cannot be told: rename one of them. Nothing of it was taken.`,
  );
});

test("the team's own columns before the results of a results file are ignored", async () => {
  const header = `status,row,${RESULTS_HEADER},decided_at`;
  const said: Record<string, string> = { row: 'q4/a', buyer_limit_id: 'bl_1', status: 'approved' };
  const cells = RESULT_COLUMNS.map((name) => said[name] ?? '');
  const path = await fileOf(header, ['gold', '7', 'A', ...cells, '2026-11-02'].join(','));
  const { decisions } = await readDecisionsFile(path, { now });
  expect(decisions).toMatchObject([{ row: 'q4/a', id: 'bl_1', status: 'approved' }]);
});

test("the team's own columns are ignored even if a person added columns between the results", async () => {
  const header = `status,row,${RESULTS_HEADER.replace(',line,', ',decided_at,line,').replace(',total_limit,', ',note,total_limit,')}`;
  const said: Record<string, string> = { row: 'q4/a', buyer_limit_id: 'bl_1', status: 'approved', note: 'call them' };
  const ours = header.split(',').slice(2);
  const cells = ours.map((name) => said[name] ?? (name === 'decided_at' ? '2026-11-02' : ''));
  const { decisions } = await readDecisionsFile(await fileOf(header, ['gold', '7', ...cells].join(',')), { now });
  expect(decisions).toMatchObject([{ row: 'q4/a', id: 'bl_1', status: 'approved' }]);
});

test.each([
  ['2026-11-25', '2026-11-25T23:59:59.999Z'],
  ['2026-11-26', undefined],
  ['2026-11-26T20:30:00+09:00', '2026-11-26T11:30:00.000Z'],
])('the date or time %s is read as %s', async (written, value) => {
  const { decisions } = await readDecisionsFile(await fileOf(HEADER, `bl_1,,approved,1,1,${written}`), { now });
  expect(decisions).toMatchObject([{ decided: value }]);
});

test.each(['0', '0.00', '0,00 EUR', '€ 0'])('%j is read as zero granted', async (written) => {
  const { decisions } = await readDecisionsFile(await fileOf(HEADER, `bl_1,,declined,"${written}",,`), { now });
  expect(decisions).toMatchObject([{ total: '0' }]);
});

// Promise: decisions-not-taken-named
test('hidden rows of a workbook need --hidden-rows, and its number cells have a decimal point', async () => {
  const path = join(await makeFolder(), 'later.xlsx');
  const text = (words: string) => `<c t="str"><v>${words}</v></c>`;
  const number = (value: number) => `<c><v>${value}</v></c>`;
  const line = (n: number, cells: string[], more = '') => `<row r="${n}"${more}>${cells.join('')}</row>`;
  const header = ['buyer_limit_id', 'status', 'total_limit', 'available_limit'].map(text);
  const hidden = ' hidden="1"';
  await writeWorkbook(path, {
    sheet: [
      '<sheetData>',
      line(1, header),
      line(2, [text('bl_1'), text('approved'), number(1001.5), text('1.001,50')]),
      line(3, [text('bl_2'), text('rejected'), number(0), number(0)], hidden),
      line(4, [text('bl_3'), text('')], hidden),
      '</sheetData>',
    ],
  });
  const { decisions, problems, silent } = await readDecisionsFile(path, { now });
  expect(decisions).toMatchObject([{ id: 'bl_1', total: '1001.5', available: '1001.5' }]);
  expect(silent).toBe(1);
  expect(problems).toEqual([{ at: 3, message: expect.stringContaining('--hidden-rows') }]);
  expect((await readDecisionsFile(path, { now, hiddenRows: true })).decisions).toHaveLength(2);
});

test('an option sets the decimal separator of the file', async () => {
  const path = await fileOf(HEADER, 'bl_1,,approved,1.234,,');
  expect((await readDecisionsFile(path, { decimal: ',', now })).decisions).toMatchObject([{ total: '1234' }]);
  expect((await readDecisionsFile(path, { decimal: '.', now })).decisions).toMatchObject([{ total: '1.234' }]);
});

// Promise: thousand-or-one-is-asked
test.each([
  ["is a problem beside an amount in Limitline's own format", ['7500.5', '100.000'], ['7500.5', null]],
  ['is a problem beside group separators of the other kind', ['1,234.50', '100.000'], ['1234.5', null]],
  ['is a problem if its column has both kinds', ['1,234.50', '1.234,50', '100.000'], ['1234.5', '1234.5', null]],
  ['is read in thousands if another cell proves it', ['7500.5', '100.000', '1.234,50'], ['7500.5', '100000', '1234.5']],
  ['is read in thousands beside a decimal point', ['1,234.50', '100,000'], ['1234.5', '100000']],
])('an amount that may mean a thousand or one %s', async (_case, written, read) => {
  const path = await fileOf(HEADER, ...written.map((cell, n) => `bl_${n},,approved,"${cell}","250,50",`));
  const { decisions, problems } = await readDecisionsFile(path, { now });
  expect(written.map((_cell, n) => decisions.find(({ id }) => id === `bl_${n}`)?.total ?? null)).toEqual(read);
  expect(problems.map(({ message }) => message)).toEqual(
    read.includes(null) ? [expect.stringContaining('total_limit "100.000": This may be 100000 or 100.000')] : [],
  );
});

test.each([
  ['has no status', ['buyer_limit_id,total_limit', 'bl_1,1'], 'columns buyer_limit_id (or row) and status'],
  ['does not name limits', ['name,status', 'A,approved'], 'columns buyer_limit_id (or row) and status'],
  ['is empty', [''], 'has no decisions'],
  [
    'has two columns of one name',
    ['buyer_limit_id,status,Total limit,total_limit', 'bl_1,approved,1,2'],
    'two columns total_limit, and which of them counts cannot be told',
  ],
])('a file that %s is refused completely', async (_case, lines, fault) => {
  await expect(readDecisionsFile(await fileOf(...lines), { now })).rejects.toThrow(fault);
});

test.each([
  [
    'Nummer;Höhe  in €;;Status',
    'Its header has "Nummer", "Höhe  in €", "Status": rename a column, or name it with --map "HEADER=buyer_limit_id".',
  ],
  ['Row;Ergebnis', 'Its header has "Row", "Ergebnis": rename a column, or name it with --map "HEADER=status".'],
  [
    `Nr;${'x'.repeat(80)}`,
    `Its header has "Nr", "${'x'.repeat(59)}…": rename a column, or name it with --map "HEADER=buyer_limit_id" and --map "HEADER=status".`,
  ],
  [Array.from({ length: 12 }, (_, n) => `C ${n}`).join(';'), '"C 9" and 2 more: rename'],
])('a file without a needed column is refused with its header and the --map to use: %s', async (header, words) => {
  await expect(readDecisionsFile(await fileOf(header, 'a;b;c;d'), { now })).rejects.toThrow(words);
});

test('a file with more lines than can be held in memory is refused', async () => {
  const path = await fileOf(HEADER, ...Array<string>(1_001).fill('bl_1,,approved,1,1,'));
  await expect(readDecisionsFile(path, { now, mostLines: 1_000 })).rejects.toThrow('more than 1,000 lines: split it');
});

test('a line with an amount but no status decides nothing and gets a warning', async () => {
  const file = await readDecisionsFile(await fileOf(HEADER, 'bl_1,,,1000,,', 'bl_2,,,,,'), { now });
  expect(file).toMatchObject({ silent: 2, warnings: [{ at: 2, message: expect.stringContaining('no status') }] });
});
