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

test('after an import that was not read to its end, the report and its JSON say so until its file is imported again', async () => {
  const desk = await openDesk(2);
  await desk.limitline('import', 'q4.csv');
  const { context } = await openConsole(desk);
  const run = await context.portfolios.startImport('q4', { id: 'more', fileName: 'more.csv', reading: '{}' });
  await run.leave();
  expect((await desk.limitline('report', 'q4')).stdout).toContain('An import was not read to its end');
  const left = await desk.json('report', 'q4');
  expect(left).toMatchObject({ interrupted: true, lines: 2 });
  expect(left.importing).toBeUndefined();
  await desk.limitline('import', 'q4.csv');
  expect((await desk.json('report', 'q4')).interrupted).toBeUndefined();
});
