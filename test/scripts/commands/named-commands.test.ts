import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { makeHeldPlans } from '../../../jobs/operators/held-plans.ts';
import { planPage } from '../../../src/console/pages/held/plan-page.ts';
import { openConsole, openDesk } from '../../support/desk.ts';
import { buyerLines } from '../../support/workplace.ts';

// Promise: check-names-held-portfolio
test('check names the portfolio of the held rows, and none when the request is held in another portfolio', async () => {
  const { limitline, json } = await openDesk(2, { rules: [{ on: 'limit', fault: 'reset', times: 1 }] });
  await limitline('run', 'q4.csv', '--no-results');
  const { stdout } = await limitline('check', 'q4.csv');
  expect(stdout).toContain('1 more is held and will not be requested again.');
  expect(stdout).toContain('npx limitline report "q4" --state held');
  expect((await limitline('check', 'q4.csv', '--portfolio', 'q5')).stdout).toContain('report NAME --state held');
  expect((await json('check', 'q4.csv')).dryRun.before).toMatchObject({ needAnswer: 1, heldIn: 'q4' });
});

test('with several open approvals, the report prints one approve command for each', async () => {
  const { limitline, cwd } = await openDesk(2, {}, { APPROVE_ALWAYS: 'on' });
  await limitline('import', 'q4.csv');
  const next = async () => (await limitline('report', 'q4')).stdout.match(/another person approves: .*/g);
  expect(await next()).toEqual(['another person approves: npx limitline approve "q4" --as USER']);
  const [header = '', ...lines] = buyerLines(3);
  await writeFile(join(cwd, 'more.csv'), `${header}\n${lines[2]}\n`);
  await limitline('import', 'more.csv', '--portfolio', 'q4');
  const named = await next();
  expect(named).toHaveLength(2);
  for (const one of named ?? []) expect(one).toMatch(/npx limitline approve "q4" --as USER --approval \S+$/);
});

// Promise: answered-call-is-said
test('each way to resend a held call warns that the service answered it with a status of success', async () => {
  const desk = await openDesk(1, { rules: [{ on: 'limit', fault: 'broken', body: 'half-json', times: 1 }] });
  const { limitline, json } = desk;
  await limitline('run', 'q4.csv', '--no-results');
  const { stdout } = await limitline('resolve', 'q4', '--line', '2', '--resend', '--dry-run');
  expect(stdout).toMatch(
    /its limit would be sent again\. The service answered this call with status 201, so it is likely to be made twice\n/,
  );
  expect((await json('resolve', 'q4', '--line', '2', '--resend', '--dry-run')).of).toMatchObject([{ answered: 201 }]);
  const words =
    'To the call of 1 of these rows the service answered with a status of success, so what it made is likely to be made twice.';
  expect((await limitline('resolve', 'q4', '--all', '--resend', '--dry-run')).stdout).toContain(words);
  expect((await json('resolve', 'q4', '--all', '--resend', '--dry-run')).planned).toMatchObject({ answered: 1 });
  const web = await openConsole(desk);
  expect((await web.get('/plans/new?portfolio=q4&action=resend')).text).toContain(words);
  const plan = await makeHeldPlans(web.context).plan(
    'q4',
    { fileName: 'a.csv', content: Buffer.from('line,id\n2,resend\n') },
    '',
  );
  expect(String(planPage({ plan, csrf: '' }))).toContain(words);
});

test('report --state held without held rows says nothing about the column id', async () => {
  const { limitline } = await openDesk(1);
  await limitline('import', 'q4.csv');
  const { status, stderr } = await limitline('report', 'q4', '--state', 'held', '--out', 'held.csv');
  expect([status, stderr.includes('column id')]).toEqual([0, false]);
});

// Promise: answered-call-is-said
test('the warning counts rows, also when they share one call', async () => {
  const { limitline, cwd } = await openDesk(0, { rules: [{ on: 'company', fault: 'broken', body: 'half-json' }] });
  await writeFile(join(cwd, 'q4.csv'), 'name,country_code,requested_limit\nAlpha AG,DE,1000\nAlpha AG,DE,2000\n');
  await limitline('run', 'q4.csv', '--no-results');
  const { stdout } = await limitline('resolve', 'q4', '--all', '--resend', '--dry-run');
  expect(stdout).toContain('To the calls of 2 of these rows the service answered with a status of success');
});

// Promise: answered-call-is-said
test('an error answer is not counted as an answer of success, whatever status its text has', async () => {
  const body = 'the system behind sent status 200 too late';
  const { limitline, json } = await openDesk(1, { rules: [{ on: 'limit', fault: 'status', status: 500, body }] });
  await limitline('run', 'q4.csv', '--no-results');
  const { planned } = await json('resolve', 'q4', '--all', '--resend', '--dry-run');
  expect(planned).toMatchObject({ rows: 1 });
  expect(planned).not.toHaveProperty('answered');
});

// Promise: unlike-id-asked-about
test('resolve refuses an id that differs from the id in the incomplete answer', async () => {
  const rules = [{ on: 'limit', fault: 'broken', body: 'half-json' }] as const;
  const { limitline, read, cwd } = await openDesk(2, { rules: [...rules] });
  await limitline('run', 'q4.csv', '--no-results');
  await limitline('report', 'q4', '--state', 'held', '--out', 'held.csv');
  const rows: Record<string, string>[] = parse(await read('held.csv'), { columns: true, bom: true });
  const ids = rows.map(({ problem }) => /bl_\w+/.exec(problem ?? '')?.[0] ?? '');
  const answers = async (given: string[]) => {
    await writeFile(join(cwd, 'said.csv'), ['row,id', ...rows.map(({ row }, n) => `${row},${given[n]}`)].join('\n'));
    return limitline('resolve', 'q4', '--from', 'said.csv', '--yes');
  };
  const swapped = await answers(ids.toReversed());
  expect(swapped.status).not.toBe(0);
  expect(`${swapped.stdout}${swapped.stderr}`).toContain(`The answer to this call named another id, ${ids[0]}.`);
  expect(await answers(ids)).toMatchObject({ status: 0 });
});
