import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDesk } from '../../support/desk.ts';
import { later, openReview, UNDER_REVIEW } from '../../support/under-review.ts';

// Promise: decisions-not-taken-named
test('an amount in another currency than the row’s request is a problem of its line', async () => {
  const { cwd, limitline, standIn } = await openDesk(0, { rules: [UNDER_REVIEW] });
  const header = 'name,country_code,company_registration_number,requested_limit,currency';
  await writeFile(join(cwd, 'q4.csv'), `${header}\nA GmbH,DE,HRB 1,1000,EUR\nB GmbH,DE,HRB 2,1000,EUR\n`);
  await limitline('run', 'q4.csv');
  const ids = standIn.things('limit').map(({ id }) => id);
  const said = [
    `${ids[0]};approved;USD 200,50;`,
    `${ids[0]};approved;200,50;$ 100`,
    `${ids[1]};approved;€ 200,50;100 EUR`,
  ];
  await writeFile(
    join(cwd, 'later.csv'),
    ['buyer_limit_id;status;total_limit;available_limit', said[0], said[2], ''].join('\n'),
  );
  const { status, stdout } = await limitline('decisions', 'later.csv');
  expect(stdout).toContain(
    "line 2, not taken: An amount is in USD, and the row's request is in EUR: write it in EUR.\nlater.csv: 1 decision taken",
  );
  expect(status).toBe(2);
  await writeFile(join(cwd, 'later.csv'), `buyer_limit_id;status;total_limit;available_limit\n${said[1]}\n`);
  expect((await limitline('decisions', 'later.csv', '--dry-run')).stdout).toContain('An amount is in $, and');
});

test('an amount in any currency is imported when the currency of the request is not known', async () => {
  const { ids, decide } = await openReview(1);
  expect((await decide([`${ids[0]},,approved,USD 200.50,,`])).stdout).toContain('1 decision taken');
});

// Promise: lowered-approval-warned
test('an approval that grants less than before is imported with a warning that has both amounts', async () => {
  const { ids, decide } = await openReview(4);
  const [id, other, third, declined] = ids;
  const said = [
    `${id},,approved,900,,${later(1)}`,
    `${id},,approved,800,,${later(2)}`,
    `${id},,approved,,,${later(3)}`,
  ];
  const warnings = [
    `line 3, warning: The limit ${id} is approved, and its granted amount changes: 900.00 → 800.00, less than before.`,
    `line 4, warning: The limit ${id} is approved, and its granted amount changes: 800.00 → none, since its total_limit is empty.`,
  ];
  const dry = await decide(said, '--dry-run');
  const { stdout, status } = await decide(said);
  expect([status, dry.stdout.split('\n').slice(0, 2), stdout.split('\n').slice(0, 2)]).toEqual([0, warnings, warnings]);
  const granted = [other, third, declined].map((one) => `${one},,approved,500,,${later(1)}`);
  expect((await decide(granted)).stdout).not.toContain('warning');
  const more = [`${other},,approved,600,,${later(2)}`, `${third},,in_progress,,,${later(2)}`];
  expect((await decide([...more, `${declined},,rejected,0,,${later(2)}`])).stdout).not.toContain('warning');
});

// Promise: lowered-approvals-counted
test('the summary counts the approvals that a file withdraws or lowers and sums the difference, also in a dry run', async () => {
  const { ids, decide, json } = await openReview(4);
  await decide(ids.map((id, place) => `${id},,approved,${place === 3 ? '' : 900},,${later(1)}`));
  const said = [
    `${ids[0]},,rejected,0,,${later(3)}`,
    `${ids[1]},,approved,850.5,,${later(2)}`,
    // The last decision of the file about a limit counts.
    `${ids[2]},,rejected,0,,${later(2)}`,
    `${ids[2]},,approved,900,,${later(3)}`,
    // The difference of an approval without an amount is not known.
    `${ids[3]},,in_progress,,,${later(2)}`,
  ];
  expect((await decide(said, '--dry-run')).stdout).toContain(
    '0 not taken.\n3 approvals would be taken away or lowered: 949.50 less would be granted.\n',
  );
  expect((await decide(said)).stdout).toContain(
    '0 not taken.\n3 approvals are taken away or lowered: 949.50 less is granted.\n',
  );
  expect((await decide(said)).stdout).not.toContain('taken away');
  const raised = await json('decisions', 'later.csv', '--dry-run');
  expect(raised.would.lowered).toEqual({ limits: 0, less: [] });
});

// Promise: lowered-approvals-counted
test('the sums of decisions about archived rows name the currency of their archive', async () => {
  const { cwd, limitline, json, standIn } = await openDesk(0);
  const header = 'name,country_code,company_registration_number,requested_limit';
  await writeFile(join(cwd, 'yen.csv'), `${header},currency\nA KK,JP,HRB 1,1000,JPY\n`);
  await writeFile(join(cwd, 'bare.csv'), `${header}\nB GmbH,DE,HRB 2,1000\n`);
  await limitline('run', 'yen.csv', '--no-results');
  await limitline('run', 'bare.csv', '--no-results');
  await limitline('archive', 'yen', '--yes');
  const lines = standIn.things('limit').map(({ id }) => `${id},approved,400`);
  await writeFile(join(cwd, 'later.csv'), ['buyer_limit_id,status,total_limit', ...lines, ''].join('\n'));
  const { did } = await json('decisions', 'later.csv');
  const both = (amount: string) => [{ amount }, { amount, currency: 'JPY' }];
  expect(did).toMatchObject({ before: both('1000.00'), after: both('400.00'), lowered: { less: both('600.00') } });
});

// Promise: row-and-id-agree
test('a line with the row of a refused request and the id of another row’s limit decides nothing', async () => {
  const refused = { on: 'limit' as const, match: 'HRB 2"', fault: 'status' as const, status: 422 };
  const { ids, names, decide, outcomes } = await openReview(2, [refused, UNDER_REVIEW]);
  expect(ids[1]).toBe('');
  const { status, stdout } = await decide([`${ids[0]},${names[1]},approved,1,1,`]);
  expect(status).toBe(2);
  expect(stdout).toContain(`line 2, not taken: Row ${names[1]} has no limit (`);
  expect(stdout).toContain(`), so ${ids[0]} is of another row: correct one of the two.`);
  expect(await outcomes()).toMatchObject({ under_review: { rows: 1 }, rejected: { rows: 1 } });
});

// Promise: row-and-id-agree
test('a line with an archived row and the id of another row’s limit decides nothing', async () => {
  const { ids, names, decide, limitline } = await openReview(2);
  expect(await limitline('archive', 'q4', '--yes')).toMatchObject({ status: 0 });
  const { status, stdout } = await decide([`${ids[0]},${names[1]},approved,1,1,`, `${ids[1]},17,approved,1,1,`]);
  expect(status).toBe(2);
  expect(stdout).toContain(`line 2, not taken: ${ids[0]} is not the limit of row ${names[1]}: correct one of the two.`);
  const own = await decide([`${ids[0]},${names[0]},approved,1,1,`]);
  expect(own.stdout).toContain('1 decision taken (1 approved), 0 known already, 0 not taken');
});

test('a line with the row of a held request and an id that no row has says what became of the row', async () => {
  const silent = { on: 'limit' as const, match: 'HRB 2"', fault: 'status' as const, status: 500, made: true };
  const { ids, names, decide } = await openReview(2, [silent, UNDER_REVIEW]);
  expect(ids[1]).toBe('');
  const { status, stdout } = await decide([`bl_of_the_bank,${names[1]},approved,1,1,`]);
  expect(status).toBe(2);
  expect(stdout).toContain(`line 2, not taken: Row ${names[1]} has no limit: outcome unknown: a person must find out.`);
});
