import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readDecisionsFile } from '../../../src/portfolio/results/decisions-file.ts';
import { makeFolder } from '../../support/workplace.ts';

const now = new Date('2026-11-26T12:00:00Z');

async function fileOf(...lines: string[]) {
  const path = join(await makeFolder(), 'later.csv');
  await writeFile(path, `${lines.join('\r\n')}\r\n`);
  return path;
}

const HEADER = 'buyer_limit_id,row,status,total_limit,available_limit,decided_at';

test('a file names limits by id or row, in whatever dialect, with amounts and times if it knows them', async () => {
  const path = await fileOf(
    '\uFEFFBuyer limit ID;Status;Total limit;Available limit;Decided at;Row',
    'bl_1;approved;250.000,50;100.000,00;2026-11-02 10:04;',
    ';declined;0;;02.11.2026;q4/abc',
    'bl_3;in_progress;;;2026-11-02T10:04:05+01:00;',
    'bl_4;approved;1.250;1.250;;',
    'bl_5;;;;;',
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
    ],
    silent: 1,
    problems: [],
  });
});

test.each([
  ['no limit is named', ',,approved,1,1,', 'names no limit'],
  ['an amount may be a thousand or one', 'bl_1,,approved,1.234,,', 'say --decimal'],
  ['an amount is none', 'bl_1,,approved,much,,', 'amount'],
  ['an amount is a formula', 'bl_1,,approved,=1+1,,', 'amount'],
  ['an amount is below zero', 'bl_1,,approved,-5,,', 'above zero'],
  ['a status is too long', `bl_1,,${'x'.repeat(101)},1,1,`, 'longer than 100 bytes'],
  ['a status has a control character', 'bl_1,,app\u202Eroved,1,1,', 'control character'],
  ['a day is none', 'bl_1,,approved,1,1,2026-02-30', 'no such day'],
  ['a time is none', 'bl_1,,approved,1,1,2026-11-02T25:00:00Z', 'no such time'],
  ['day and month cannot be told apart', 'bl_1,,approved,1,1,05/04/2026', 'may come first'],
  ['a time is in the future', 'bl_1,,approved,1,1,2026-12-24', 'in the future'],
])('a line is not taken where %s', async (_case, line, fault) => {
  const { decisions, problems } = await readDecisionsFile(await fileOf(HEADER, line), { now });
  expect([decisions, problems]).toEqual([[], [{ at: 2, message: expect.stringContaining(fault) }]]);
});

test('the decimal separator of a file may be said', async () => {
  const path = await fileOf(HEADER, 'bl_1,,approved,1.234,,');
  expect((await readDecisionsFile(path, { decimal: ',', now })).decisions).toMatchObject([{ total: '1234' }]);
  expect((await readDecisionsFile(path, { decimal: '.', now })).decisions).toMatchObject([{ total: '1.234' }]);
});

test.each([
  ['has no status', ['buyer_limit_id,total_limit', 'bl_1,1'], 'columns buyer_limit_id (or row) and status'],
  ['names no limit', ['name,status', 'A,approved'], 'columns buyer_limit_id (or row) and status'],
  ['is empty', [''], 'has no decisions'],
])('a file that %s is refused as a whole', async (_case, lines, fault) => {
  await expect(readDecisionsFile(await fileOf(...lines), { now })).rejects.toThrow(fault);
});

test('a file of more lines than can be held is refused', async () => {
  const path = await fileOf(HEADER, ...Array<string>(1_001).fill('bl_1,,approved,1,1,'));
  await expect(readDecisionsFile(path, { now, mostLines: 1_000 })).rejects.toThrow('more than 1,000 lines: split it');
});
