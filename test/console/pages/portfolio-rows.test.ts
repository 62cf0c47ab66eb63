import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openConsole, openDesk, plainText } from '../../support/desk.ts';

/** Rows of lines 2 to 9, with those of lines 4 and 5 rejected. Line 10 is a duplicate, and line 11 has no amount. */
async function open() {
  const refused = (at: number) =>
    ({ on: 'limit', match: `HRB ${at}"`, fault: 'status', status: 422, body: 'no' }) as const;
  const desk = await openDesk(8, { rules: [refused(3), refused(4)] });
  const lines = ['Buyer 1 GmbH,DE,HRB 1,1001.50', 'Nobody,DE,HRB 9,abc'];
  await writeFile(join(desk.cwd, 'q4.csv'), `${(await desk.read('q4.csv')) + lines.join('\n')}\n`);
  await desk.limitline('run', 'q4.csv', '--yes');
  return openConsole(desk);
}

// Promise: next-row-of-list
test('rows are listed in the requested order, and each row’s page links to the next row of that list', async () => {
  const { get } = await open();
  const linesOf = (text: string) => [...text.matchAll(/data-head="Line">(\d+)</g)].map(([, line]) => Number(line));
  const up = await get('/portfolios/q4?order=amount');
  expect(up.text).toMatch(/aria-sort="ascending"[^>]*><a href="\/portfolios\/q4\?order=-amount#rows">Requested</);
  const down = await get('/portfolios/q4?order=-amount&outcomes=rejected');
  expect(linesOf((await get('/portfolios/q4?order=-amount')).text)).toEqual(linesOf(up.text).toReversed());
  const [first, second] = linesOf(down.text);
  const [link = ''] = /\/portfolios\/q4\/rows\/[\w-]+\?[^"]*order=-amount[^"]*/.exec(down.text) ?? [];
  const row = await get(link.replaceAll('&amp;', '&'));
  expect(plainText(row.text)).toContain(`Line ${first} of`);
  expect(row.text).not.toContain('Previous row of the list');
  const [, next = ''] = /href="([^"]*)"[^>]*aria-label="Next row of the list"/.exec(row.text) ?? [];
  const after = await get(next.replaceAll('&amp;', '&'));
  expect(plainText(after.text)).toContain(`Line ${second} of`);
  expect(after.text).toContain('Previous row of the list');
  expect(after.text).toContain('href="/portfolios/q4?outcomes=rejected&amp;order=-amount#rows"');
});

// Promise: selected-rows
test('a plan acts on the selected rows, and is refused when none is selected', async () => {
  const { get } = await open();
  const { text } = await get('/portfolios/q4');
  const keys = [...text.matchAll(/name="rows" value="([\w-]{16})" aria-label="Select line (\d+)"/g)];
  // Only rejected rows can be selected here: the others can neither be sent again nor cancelled.
  expect(keys.map(([, , line]) => line)).toEqual(['4', '5']);
  const rows = `rows=${keys[1]?.[1]}`;
  const plan = plainText((await get(`/plans/new?portfolio=q4&action=retry&chosen=yes&${rows}`)).text);
  expect(plan).toContain('Send 1 row again?');
  expect(plan).toContain('chosen one by one, 1 row');
  const none = await get('/plans/new?portfolio=q4&action=retry&chosen=yes');
  expect([none.status, plainText(none.text).includes('Select at least one row first.')]).toEqual([422, true]);
});

// Promise: lines-to-fix-found
test('lines without a row are listed with name and problem, and are found by name and by line number', async () => {
  const { get } = await open();
  const all = await get('/portfolios/q4?lines=invalid,duplicate');
  const text = plainText(all.text);
  expect(text).toContain('Lines to fix 1');
  expect(text).toMatch(/10 Buyer 1 GmbH duplicate .* 11 Nobody to fix /);
  expect(text).toContain('2 lines from line 10');
  // These lines have no outcome, so the list of rows by outcome is not shown.
  expect(all.text).not.toContain('Rows of portfolio q4');
  const fix = plainText((await get('/portfolios/q4?lines=invalid')).text);
  expect(fix).toContain('11 Nobody to fix');
  expect(fix).not.toContain('left out This');
  for (const words of ['nobo', '11']) {
    const found = plainText((await get(`/portfolios/q4?text=${words}`)).text);
    expect(found).toContain('Lines of the file that led to no row');
    expect(found).toContain('11 Nobody to fix');
  }
  expect((await get('/portfolios/q4?text=buyer+5')).text).not.toContain('led to no row');
});

test.each([
  ['that a replacing file lacks', []],
  ['that another line replaces', ['Alder GmbH,DE,HRB 1,1500']],
])('a row %s has no outcome, and cannot be selected for sending again', async (_which, corrected) => {
  const desk = await openDesk(1);
  const put = async (lines: string[], ...more: string[]) => {
    const header = 'name,country_code,company_registration_number,requested_limit';
    await writeFile(join(desk.cwd, 'q4.csv'), `${[header, ...lines, 'Birch GmbH,DE,HRB 2,2000'].join('\n')}\n`);
    await desk.limitline('import', 'q4.csv', ...more);
  };
  await put(['Alder GmbH,DE,HRB 1,1000']);
  await put(corrected, '--replace');
  const { get, context } = await openConsole(desk);
  const [replaced] = await context.rows.inState('q4', 'cancelled', { count: 2 });
  const key = replaced?.row.key ?? '';
  expect((await get(`/portfolios/q4/rows/${key}`)).text).toContain('Import its own line to bring it back');
  const page = (await get('/portfolios/q4')).text;
  expect(page).not.toContain(`name="rows" value="${key}"`);
  expect(plainText(page)).toContain('1 row was corrected or left out by a later file: in none of these sums.');
  const { text } = await get(`/plans/new?portfolio=q4&action=retry&chosen=yes&rows=${key}`);
  expect(text).not.toMatch(/\/confirm"/);
  // The list of portfolios counts rows as the portfolio’s page does.
  const list = (await get('/')).text;
  expect(list).toContain(`aria-label="Rows of q4 by outcome: ${corrected.length + 1} waiting"`);
  expect(list).toContain(`data-head="Rows">${corrected.length + 1}<`);
});

test('rows with a status longer than the ledger’s counter key are found by it, with their granted amounts', async () => {
  const status = `approved once these are there: ${'annual accounts, '.repeat(6)}tax number`;
  const desk = await openDesk(2, { rules: [{ on: 'limit', match: 'HRB 1"', fault: 'decision', status, share: 0.5 }] });
  await desk.limitline('run', 'q4.csv', '--no-results');
  const { get } = await openConsole(desk);
  const [, offered = ''] = /<option value="(approved once[^"]*)"/.exec((await get('/portfolios/q4')).text) ?? [];
  await desk.limitline('statuses', offered, '--means', 'approved');
  for (const one of [offered, status]) {
    const { text } = await get(`/portfolios/q4?${new URLSearchParams({ status: one })}`);
    expect(text.match(/data-head="Line">/g)).toHaveLength(1);
    const rows = text.slice(text.indexOf('Rows of portfolio q4'));
    expect(/data-head="Granted">(.*?)<\/td>/.exec(rows)?.[1]).toContain('500.75');
  }
});

// Promise: replaced-rows-in-list
test('a row corrected by a later file is marked in the list, and is in neither the filter nor the sum', async () => {
  const desk = await openDesk(3);
  await desk.limitline('import', 'q4.csv');
  const [header, , ...others] = (await desk.read('q4.csv')).split('\n');
  await writeFile(join(desk.cwd, 'mended.csv'), [header, 'Buyer 1 GmbH,DE,HRB 1,5000', ...others].join('\n'));
  await desk.limitline('import', 'mended.csv', '--portfolio', 'q4');
  const { get } = await openConsole(desk);
  const all = plainText((await get('/portfolios/q4')).text);
  expect(all).toMatch(
    / 4 rows from line 2, the last page: 7,006\.00 asked for in 3 of them; 1 other was corrected or left out/,
  );
  expect(all).toContain('replaced by a later file');
  expect(plainText((await get('/portfolios/q4?outcomes=not_sent')).text)).toContain('No rows found.');
});
