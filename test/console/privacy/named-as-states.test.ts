import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { as, byHeader, openConsole, openDesk } from '../../support/desk.ts';

const [FIONA, VERA] = [as('fiona', 'finance'), as('vera', 'viewer')];

test('a viewer sees the same outcomes as finance, also for contacts named Held, Frozen and Done', async () => {
  const desk = await openDesk(1, {
    rules: [
      { on: 'limit', match: 'HRB 1"', fault: 'reset', made: true },
      { on: 'limit', match: 'HRB 2"', fault: 'decision', status: 'frozen', share: 0 },
    ],
  });
  const lines = [
    'name,country_code,company_registration_number,requested_limit,contact_first_name,contact_last_name',
    'Alder GmbH,DE,HRB 1,1001.50,Anna,Held',
    'Birch GmbH,DE,HRB 2,1002.50,Bert,Frozen',
    'Cedar GmbH,DE,HRB 3,1003.50,Cora,Done',
  ];
  await writeFile(join(desk.cwd, 'q4.csv'), `${lines.join('\n')}\n`);
  await desk.limitline('run', 'q4.csv', '--no-results');
  await desk.limitline('statuses', 'frozen', '--means', 'declined');
  const { get } = await openConsole(desk, byHeader);
  const list = async (who: Record<string, string>) => {
    const { text } = await get('/portfolios/q4', who);
    return [...text.matchAll(/rows\/([\w-]{16}).*?data-head="Outcome"><span class="badge state-(\w+)/gs)].map(
      ([, key, outcome]) => [key, outcome],
    );
  };
  const rows = await list(FIONA);
  expect(rows.map(([, outcome]) => outcome)).toEqual(['held', 'declined', 'approved']);
  expect(await list(VERA)).toEqual(rows);
  for (const [key, outcome] of rows) {
    const { text } = await get(`/portfolios/q4/rows/${key}`, VERA);
    expect(text).toContain(`<p class="lead"><span class="badge state-${outcome}`);
  }
});

test('a viewer’s search in problems does not reveal masked text', async () => {
  const body = '{"message":"contact anna.ritter@acme.example, +49 89 1234567, is blocked"}';
  const desk = await openDesk(2, { rules: [{ on: 'limit', match: 'HRB 1"', fault: 'status', status: 422, body }] });
  await desk.limitline('run', 'q4.csv', '--no-results');
  const { get } = await openConsole(desk, byHeader);
  const rowsFor = async (problem: string, who: Record<string, string>) => {
    const { text } = await get(`/portfolios/q4?${new URLSearchParams({ problem })}`, who);
    return [...text.matchAll(/data-head="Line">/g)].length;
  };
  expect(await rowsFor('anna.ritter@acme.example', FIONA)).toBe(1);
  // A right guess and a wrong one find the same rows.
  expect([await rowsFor('anna.ritter@', VERA), await rowsFor('bertha', VERA)]).toEqual([2, 2]);
});

test('too many lines to fix are reported as unlisted, and only people with the right are offered the download', async () => {
  const desk = await openDesk(1);
  const lines = Array.from({ length: 5_001 }, (_none, at) => `Buyer ${at} GmbH,DE,none`);
  const header = 'name,country_code,requested_limit';
  await writeFile(join(desk.cwd, 'q4.csv'), `${[header, 'Alder GmbH,DE,1000', ...lines].join('\n')}\n`);
  await desk.limitline('import', 'q4.csv');
  const { get } = await openConsole(desk, byHeader);
  const [finance, viewer] = [
    await get('/portfolios/q4?lines=invalid', FIONA),
    await get('/portfolios/q4?lines=invalid', VERA),
  ];
  expect([finance, viewer].map(({ text }) => text.includes('are too many to be listed here or searched'))).toEqual([
    true,
    true,
  ]);
  expect([finance, viewer].map(({ text }) => text.includes('/downloads/errors.csv'))).toEqual([true, false]);
  const search = (await get('/portfolios/q4?text=Buyer+77', FIONA)).text;
  expect(search).toContain('are too many to be listed here or searched');
  expect(search).not.toContain('No rows found.');
});
