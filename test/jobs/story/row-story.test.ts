import { rm } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { lineOfRow, rowStory } from '../../../jobs/story/row-story.ts';
import { timelineOf } from '../../../src/console/pages/row/timeline.ts';
import { openPortfolio } from '../../support/approved-portfolio.ts';
import { openConsole } from '../../support/console.ts';
import { openDesk } from '../../support/desk.ts';
import { retryRows } from '../../support/operate.ts';

test('a line is found with its columns; one far down is not waited for; a copy that is gone is said', async () => {
  const desk = await openDesk(6_000);
  await desk.limitline('import', 'q4.csv');
  const { context, get } = await openConsole(desk);
  const [known] = await context.portfolios.allImports('q4');
  const look = (line: number, limitMs: number) =>
    lineOfRow(line, known, { imports: context.imports, limitMs, signal: new AbortController().signal });
  expect(await look(3, 10_000)).toMatchObject({
    is: 'read',
    cells: expect.arrayContaining([{ column: 'name', meaning: 'name', cell: 'Buyer 2 GmbH' }]),
  });
  expect(await look(6_001, 1)).toEqual({ is: 'far' });
  expect(await look(9_000, 10_000)).toEqual({ is: 'gone' });

  // The page of a row that is far down answers at once, and the piece behind its link has the line.
  const [row] = await context.rows.behind('q4', 'queued', { line: 6_001, count: 1 });
  const address = `/portfolios/q4/rows/${row?.row.key}`;
  expect((await get(address)).text).toContain('data-module="late"');
  const piece = await get(`${address}?line=yes`, { 'x-fragment': '1' });
  expect(piece.text).toContain('<dd>Buyer 6000 GmbH</dd>');
  expect(piece.text).not.toContain('<html');

  await rm(context.imports.open(known?.id ?? '').path);
  expect(await look(3, 10_000)).toEqual({ is: 'gone' });
  expect(
    await lineOfRow(3, undefined, { imports: context.imports, limitMs: 1, signal: new AbortController().signal }),
  ).toEqual({ is: 'gone' });
});

// Promise: row-tells-its-story
test('a row’s story names who approved its import, also once another approval sent it again', async () => {
  const { context, approve, refuse, all } = await openPortfolio(1);
  const told = async () => {
    const story = row && (await rowStory(row, context));
    return story ? timelineOf(story).map(({ words }) => String(words)) : [];
  };
  await approve();
  const [row] = await all('queued');
  const yes = 'q4.csv (import 1 by alice) was approved by bob.';
  expect(await told()).toContain(yes);
  if (row) await refuse(row);
  await retryRows({ portfolio: 'q4', state: 'refused', by: 'olivia' }, context);
  await approve({ by: 'carol', roles: ['approver'] });
  expect((await told()).filter((words) => / approved by /.test(words))).toEqual([yes, 'That was approved by carol.']);
});
