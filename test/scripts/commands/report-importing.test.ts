import { expect, test } from 'vitest';
import { openConsole, openDesk } from '../../support/desk.ts';

// Promise: report-says-importing
test('during an import, the report, its JSON and the page state that their figures are partial', async () => {
  const desk = await openDesk(2);
  await desk.limitline('import', 'q4.csv');
  const { context, get } = await openConsole(desk);
  const told = async () => ({
    table: (await desk.limitline('report', 'q4')).stdout,
    json: await desk.json('report', 'q4'),
    page: (await get('/portfolios/q4')).text,
  });
  const run = await context.portfolios.startImport('q4', { id: 'more', fileName: 'more.csv', reading: '{}' });
  const during = await told();
  expect(during.table).toContain('A file is still being imported: all figures are of the lines read so far.');
  expect(during.json).toMatchObject({ importing: true, lines: 2 });
  expect(during.page).toContain('A file is still being imported: these figures are of the lines read so far.');
  await run.end();
  const after = await told();
  expect(after.json.importing).toBeUndefined();
  for (const text of [after.table, after.page]) expect(text).not.toContain('read so far');
});
