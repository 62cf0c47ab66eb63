import { expect, test } from 'vitest';
import { conflictView } from '../../../../src/console/pages/new/mend-grid.ts';
import { openConsole, openDesk, uploadTo } from '../../../support/desk.ts';

const CONFLICT = { latest: 2, cells: [] };
const COLUMN = { list: 'problems', column: 'website', from: 'ftp:', to: 'https:' } as const;

// Promise: typed-outlives-session
test.each([
  ['lines', { edits: [{ line: 4, cells: new Map([[3, '30']]) }] }],
  ['a text for a whole column', { edits: [], column: COLUMN }],
  ['both', { edits: [{ line: 4, text: 'a,b' }], column: COLUMN }],
])('a page with %s typed over another version says that it stays, and where to go on', (_typed, change) => {
  const { markup } = conflictView('u1', CONFLICT, change);
  expect(markup.match(/data-typed="[^"]*"/g)).toEqual(['data-typed="/new/u1?list=problems"']);
});

test('a page on which nothing was typed may be left', () => {
  expect(conflictView('u1', CONFLICT).markup).not.toContain('data-typed');
});

// Promise: errors-file-lost-zeros
test('the cell that keeps the zeros of an errors file can be corrected beside the number that lost them', async () => {
  const web = await openConsole(await openDesk(1));
  const from = 'q9 #0123456789ab line 2 with company_registration_number 01002';
  const csv = `name,country_code,company_registration_number,requested_limit,limitline_from\nAlder GmbH,DE,1002,1000,${from}\n`;
  const { location } = await uploadTo(web, ['file', 'q9.csv', csv]);
  const look = async () => (await web.get(location)).text;
  await expect.poll(look).toContain('This was 01002 in the line that this one corrects');
  expect(await look()).toContain('aria-label="Line 2, limitline_from"');
  const meant = from.replace('company_registration_number 01002', '');
  await web.post(`${location}/mend`, { version: '1', 'cell-2-4': meant });
  await expect.poll(look).toContain('version 2');
  await expect.poll(look).not.toContain('This was 01002');
});
