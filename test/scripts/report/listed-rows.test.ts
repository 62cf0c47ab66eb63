import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { later, openReview } from '../../support/under-review.ts';

// Promise: rows-of-one-outcome
test.each([[['--json']], [['--format', 'json']]])(
  'report --state held with %j prints held rows as JSON',
  async (json) => {
    const { limitline, names } = await openReview(2, [{ on: 'limit', match: 'HRB 2', fault: 'reset', made: true }]);
    const { stdout, status } = await limitline('report', 'q4', '--state', 'held', ...json);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      portfolio: 'q4',
      outcome: 'needs_answer',
      rows: [{ row: names[1], line: 3, name: 'Buyer 2 GmbH', requested_limit: '1002.5' }],
    });
    const file = await limitline('report', 'q4', '--state', 'held', '--format', 'csv');
    expect(file.stderr).not.toContain('is held.');
    expect(await limitline('report', '--state', 'held', '--json')).toMatchObject({ status: 1 });
    expect(file.stdout).toMatch(/^name,.*,id\r\n/);
  },
);

// Promise: rows-of-one-outcome
test('report --state prints the rows of an outcome as text, JSON and a file that decisions imports', async () => {
  const { cwd, limitline, json, ids, names, decide, outcomes } = await openReview(3);
  await decide([`${ids[1]},,approved,1002.5,1002.5,${later(1)}`]);
  const { stdout, status } = await limitline('report', 'q4', '--state', 'under_review');
  expect(status).toBe(0);
  expect(stdout).toMatch(
    /^line {15}requested {2}status {10}changed {5}buyer\nline 2 +1,001\.50 {2}in_progress +\d{4}-\d\d-\d\d {2}Buyer 1 GmbH\nline 4 +1,003\.50 .*Buyer 3 GmbH\n2 of the rows of portfolio q4: under review\.\n$/,
  );
  // When several files have a line of this number, each row names its file.
  await writeFile(
    join(cwd, 'second.csv'),
    'name,country_code,company_registration_number,requested_limit\nZinc AG,DE,HRB 9,7\n',
  );
  await limitline('import', 'second.csv', '--portfolio', 'q4');
  const listed = await limitline('report', 'q4', '--state', 'waiting');
  expect(listed.stdout).toMatch(/^line .* buyer\nline 2 .* {2}Zinc AG, of second\.csv #2\n1 of the rows/);
  expect((await json('report', 'q4', '--state', 'waiting')).rows).toMatchObject([{ import: 'second.csv #2', line: 2 }]);
  // Each amount has the currency of its own file.
  await writeFile(join(cwd, 'third.csv'), 'name,country_code,requested_limit,currency\nIron AG,DE,7.5,CHF\n');
  await limitline('import', 'third.csv', '--portfolio', 'q4');
  const mixed = (await limitline('report', 'q4', '--state', 'waiting')).stdout;
  expect(mixed).toMatch(/ {12}7\.00 .* Zinc AG/);
  expect(mixed).toMatch(/ CHF 7\.50 .* Iron AG/);
  const { rows } = await json('report', 'q4', '--state', 'waiting');
  expect(rows).toContainEqual(expect.objectContaining({ name: 'Zinc AG', currency: null }));
  expect(rows).toContainEqual(expect.objectContaining({ name: 'Iron AG', currency: 'CHF' }));
  expect(await json('report', 'q4', '--state', 'under_review')).toMatchObject({
    portfolio: 'q4',
    outcome: 'under_review',
    rows: [
      { row: names[0], line: 2, name: 'Buyer 1 GmbH', requested_limit: '1001.5', status: 'in_progress' },
      { row: names[2], buyer_limit_id: ids[2] },
    ],
  });
  expect((await json('report', 'q4', '--state', 'declined')).rows).toEqual([]);
  const held = await limitline('report', 'q4', '--state', 'held');
  expect(held).toMatchObject({
    status: 0,
    stderr: expect.stringContaining('limitline: No row of portfolio q4 is held.\n'),
  });
  await limitline('report', 'q4', '--state', 'under_review', '--format', 'csv', '--out', 'open.csv');
  const [header, ...lines] = (await readFile(join(cwd, 'open.csv'), 'utf8')).trimEnd().split('\r\n');
  expect(header).toMatch(/,decided_at$/);
  const decided = lines.map((line) => `${line.replace(',in_progress,', ',rejected,')}${later(2)}`);
  await writeFile(join(cwd, 'open.csv'), [header, ...decided].join('\n'));
  expect((await limitline('decisions', 'open.csv')).stdout).toContain('2 decisions taken (2 rejected)');
  expect(await outcomes()).toMatchObject({ declined: { rows: 2 }, approved: { rows: 1 } });
  for (const other of [['--causes'], ['--format', 'errors-csv']])
    expect(await limitline('report', 'q4', '--state', 'under_review', ...other)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('--state cannot be given with --causes, nor'),
    });
});
