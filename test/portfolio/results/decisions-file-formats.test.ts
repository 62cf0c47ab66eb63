import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readDecisionsFile } from '../../../src/portfolio/results/decisions-file.ts';
import { writeFormatted } from '../../support/workbooks.ts';
import { makeFolder } from '../../support/workplace.ts';

const now = new Date('2026-11-26T12:00:00Z');

test("an amount that a workbook shows in another form is a problem with both forms, and its format's currency is read", async () => {
  const path = join(await makeFolder(), 'later.xlsx');
  await writeFormatted(
    path,
    ['buyer_limit_id', 'status', 'total_limit', 'available_limit'],
    [
      ['bl_1', 'approved', { value: '50', code: '0" wan"' }, ''],
      ['bl_2', 'approved', { value: '0.5', code: '0.0 "€"' }, { value: '7', code: '0,000' }],
    ],
  );
  const { decisions, problems } = await readDecisionsFile(path, { now });
  expect(problems).toEqual([
    { at: 2, message: expect.stringContaining('total_limit "50 (shown as 50 wan)": The amount') },
  ]);
  expect(decisions).toMatchObject([{ id: 'bl_2', total: '0.5', available: '7', currencies: ['€'] }]);
});
