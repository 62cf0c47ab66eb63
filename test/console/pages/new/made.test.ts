import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openConsole, openDesk, plainText, unmarked, uploadTo } from '../../../support/desk.ts';

const HEAD = 'name,country_code,requested_limit\n';
const plain = (markup: string) => plainText(unmarked(markup));

// Promises: changes-told-to-approver, approver-sees-changed-values, left-out-line-counted
test('the pages of the approval and the portfolio show changes by hand before the import, and rows name their file', async () => {
  const desk = await openDesk(0, {}, { APPROVE_ALWAYS: 'on' });
  const web = await openConsole(desk);
  const file = `${HEAD}Alder GmbH,DE,1000\nBirch GmbH,XX,2000\nCedar GmbH,DE,much\nDog GmbH,XX,4000.5\n`;
  const { location } = await uploadTo(web, ['file', 'q9.csv', file]);
  const look = async () => (await web.get(location)).text;
  await expect.poll(look).toContain('Request all');
  const edits = { list: 'problems', version: '1', 'leave-4': 'yes', 'leave-5': 'yes', 'cell-3-1': 'DE' };
  expect((await web.post(`${location}/mend`, edits)).status).toBe(303);
  await expect.poll(look).toContain('Request all: 2 limits');
  const of = /name="of" value="(\w+)"/.exec(await look())?.[1] ?? '';
  const dialog = plain((await web.post(`${location}/confirm`, { of })).text);
  expect(dialog).toContain('Left out 2 by hand (at least 4,000.50');
  await web.post(`${location}/submit`, { of, total: '7.000,50' });
  await expect
    .poll(async () => plain(await look()))
    .toMatch(/2 lines left out by hand, of 4,000\.50 ?, are not in this sum\./);
  const submitted = { of, total: '3.000,00', first: '5' };
  expect((await web.post(`${location}/submit`, submitted)).status).toBe(303);
  await expect.poll(() => web.context.approvals.waitingCount()).toBe(1);
  const { entries } = await web.context.audit.read.page({ count: 2, walk: 99, filter: { what: 'import submitted' } });
  expect(entries[1]?.facts).toMatchObject({ leftOut: [4, 5] });
  const [approval] = await web.context.approvals.waiting();
  const asked = plain((await web.get(`/approvals/${approval?.id}`)).text);
  expect(asked).toMatch(
    /Changed by hand 1 value corrected, 2 lines left out \(at least 4,000\.50 ?\) by .*?\. Lines left out: 4, 5\. .*Line Column Before Now 3 country_code XX DE /,
  );
  expect(asked).toMatch(
    /Lines of the file 2 all of these are included; 2 more were left out by hand \(at least 4,000\.50 ?\)/,
  );
  expect(asked).toContain('Sent first 5 rows, then it waits Control total 3,000.00, agreed');
  const page = plain((await web.get('/portfolios/q9')).text);
  expect(page).toMatch(/1 value corrected, 2 lines left out \(at least 4,000\.50 ?\) by \S+/);
  expect(page).toMatch(
    /Not in this table: 2 lines that people left out by hand before the import \(at least 4,000\.50 ?\)\. With them, the file had 4 lines\./,
  );
  expect(page).not.toContain('of q9.csv');

  const none = (await web.get('/portfolios/q9?min=80000&max=70000')).text;
  expect(none).toContain('The amount “from” is above the amount “to”');

  await writeFile(join(desk.cwd, 'more.csv'), `${HEAD}Elm GmbH,DE,5000\n`);
  await desk.limitline('import', 'more.csv', '--portfolio', 'q9', '--yes');
  const both = plain((await web.get('/portfolios/q9')).text);
  expect(both).toMatch(/q9\.csv : 1 value corrected.*Alder GmbH of q9\.csv .*Elm GmbH of more\.csv/);
});

// Promise: left-out-note-ends
test('left-out lines are counted on the portfolio’s page until their requests are imported', async () => {
  const desk = await openDesk(0);
  const web = await openConsole(desk);
  const few = 'Fig GmbH,DE,0.25\n';
  const { location } = await uploadTo(web, ['file', 'q9.csv', `${HEAD}Alder GmbH,DE,1000\nElm GmbH,DE,0.5\n${few}`]);
  const look = async () => (await web.get(location)).text;
  await expect.poll(look).toContain('Request all: 3 limits');
  const edits = { list: 'warnings', version: '1', 'leave-3': 'yes', 'leave-4': 'yes' };
  expect((await web.post(`${location}/mend`, edits)).status).toBe(303);
  await expect.poll(look).toContain('Request all: 1 limit');
  const of = /name="of" value="(\w+)"/.exec(await look())?.[1] ?? '';
  expect((await web.post(`${location}/submit`, { of })).status).toBe(303);
  const page = async () => plain((await web.get('/portfolios/q9')).text);
  await expect.poll(page).toContain('Not in this table: 2 lines that people left out by hand before the import (0.75');

  await writeFile(join(desk.cwd, 'q9.csv'), `${HEAD}Elm GmbH,DE,0.50\n`);
  await desk.limitline('import', 'q9.csv', '--yes');
  expect(await page()).toContain('Not in this table: 1 line that people left out by hand before the import (0.25');
  await writeFile(join(desk.cwd, 'q9.csv'), `${HEAD}${few}`);
  await desk.limitline('import', 'q9.csv', '--yes');
  expect(await page()).not.toContain('Not in this table');
  expect(await page()).toContain('2 lines left out');
});

// Promise: changes-told-to-approver
test('a corrected value is shown on the portfolio’s page also when no line was left out', async () => {
  const web = await openConsole(await openDesk(0));
  const { location } = await uploadTo(web, ['file', 'q9.csv', `${HEAD}Alder GmbH,XX,1000\n`]);
  const look = async () => (await web.get(location)).text;
  await expect.poll(look).toContain('name="cell-2-1"');
  expect((await web.post(`${location}/mend`, { list: 'problems', version: '1', 'cell-2-1': 'DE' })).status).toBe(303);
  await expect.poll(look).toContain('Request all: 1 limit');
  const of = /name="of" value="(\w+)"/.exec(await look())?.[1] ?? '';
  expect((await web.post(`${location}/submit`, { of })).status).toBe(303);
  await expect.poll(async () => plain((await web.get('/portfolios/q9')).text)).toContain('1 value corrected');
});
