import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeDecisionsDesk } from '../../../jobs/operators/upload-decisions.ts';
import { later, openReview } from '../../support/under-review.ts';
import { openWorkplace } from '../../support/workplace.ts';

/** Rows under review, and their results with a column `decided_at`, whose cells can be changed. */
async function openResults() {
  const desk = await openReview(4);
  const { cwd, limitline, ids, decide } = desk;
  await decide([`${ids[3]},,approved,1004.5,1004.5,${later(1)}`]);
  await limitline('import', 'q4.csv', '--portfolio', 'again');
  const bring = async (portfolio: string, change: (cells: Record<string, string>, at: number) => void) => {
    const text = (await limitline('report', portfolio, '--format', 'csv')).stdout.trimEnd();
    const [header = '', ...lines] = text.split('\r\n');
    const names = [...header.split(','), 'decided_at'];
    const written = lines.map((line, at) => {
      const cells = line.split(',');
      const byName = Object.fromEntries(names.map((name, place) => [name, cells[place] ?? '']));
      change(byName, at + 2);
      return names.map((name) => byName[name]).join(',');
    });
    await writeFile(join(cwd, 'filled.csv'), [names.join(','), ...written, ''].join('\n'));
    const taken = await limitline('decisions', 'filled.csv');
    const json = JSON.parse((await limitline('decisions', 'filled.csv', '--json', '--dry-run')).stdout);
    return { ...taken, warnings: json.warnings };
  };
  return { ...desk, bring };
}

// Promise: undated-lines-named
test('lines without a time that differ from their rows are warned of, and change nothing', async () => {
  const { bring, outcomes } = await openResults();
  const before = await outcomes();
  const { status, stdout, warnings } = await bring('q4', (cells, line) => {
    if (line === 3) cells.status = 'rejected';
    if (line === 4) Object.assign(cells, { status: 'approved', total_limit: '1003' });
    if (line === 5) cells.total_limit = '900';
  });
  expect(status).toBe(0);
  expect(stdout).toContain('0 decisions taken, 0 known already, 0 not taken.');
  expect(stdout).toContain('4 lines decide nothing.');
  const rest =
    'Without decided_at the line changes nothing. If the service said this later, write the time into that column.';
  expect(stdout).toContain(`line 3, warning: The line says rejected, and the row has in_progress. ${rest}`);
  expect(warnings).toEqual([
    { at: 3, message: `The line says rejected, and the row has in_progress. ${rest}` },
    {
      at: 4,
      message: expect.stringMatching(
        /^The line says approved and a total_limit of 1,003\.00, and the row has in_progress and (0\.00|none)\. Without/,
      ),
    },
    { at: 5, message: `The line says a total_limit of 900.00, and the row has 1,004.50. ${rest}` },
  ]);
  expect(await outcomes()).toEqual(before);
});

// Promise: decisions-of-own-account-only
test('results of another account are refused by the command and by an upload', async () => {
  const { cwd, limitline, ids, outcomes } = await openReview(1);
  const text = `buyer_limit_id,status,limitline_account,decided_at\n${ids[0]},approved,prod,${later(1)}\n`;
  await writeFile(join(cwd, 'prod.csv'), text);
  const words = 'line 2 belongs to account "prod", but this is account "';
  expect(await limitline('decisions', 'prod.csv')).toMatchObject({ status: 1, stderr: expect.stringContaining(words) });
  expect(await outcomes()).toMatchObject({ under_review: { rows: 1 } });
  const desk = makeDecisionsDesk((await openWorkplace()).context);
  const content = Buffer.from(text);
  await expect(desk.look('q4', { fileName: 'prod.csv', content, reading: {} }, 'ann')).rejects.toThrow(words);
});

// Promise: undated-lines-named
test.each(['q4', 'again'])(
  'lines without a time that repeat the known state give no warning, in portfolio %s',
  async (name) => {
    const { bring } = await openResults();
    expect((await bring(name, () => {})).warnings).toEqual([]);
    const said = await bring(name, (cells, line) => {
      if (line === 5) Object.assign(cells, { status: 'Approved', total_limit: '1004.50' });
      if (line === 2) Object.assign(cells, { status: 'approved', decided_at: later(1) });
      if (line === 3) Object.assign(cells, { status: 'approved', row: 'q4/nobody', buyer_limit_id: '' });
    });
    expect(said.warnings).toEqual([]);
    expect(said.stdout).toContain('1 decision taken (1 approved)');
  },
);
