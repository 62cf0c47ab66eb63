import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { carryOutAnswered } from '../../../jobs/approvals/answer-approval.ts';
import { lineOfRow, rowStory } from '../../../jobs/story/row-story.ts';
import { timelineOf } from '../../../src/console/pages/row/timeline.ts';
import { openPortfolio, retryRows } from '../../support/approved-portfolio.ts';
import { openConsole, openDesk } from '../../support/desk.ts';
import { eventOf, openEvents } from '../../support/events.ts';
import { makeRequest, ROW } from '../../support/ledger.ts';
import { buyerLines, openWorkplace } from '../../support/workplace.ts';

test('the line of a row is found with its columns, unless it takes too long or its file is missing', async () => {
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

  // The page of a row far down answers at once, and the link loads the line later.
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
test('the history of a row names who approved its import, also after a further approval', async () => {
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

// Promise: row-tells-its-story
test.each(['the same line', 'a corrected line'])(
  'a row that was declined and came again with %s tells who declined it',
  async (how) => {
    const { context, waiting, say, approve, all, import: bring } = await openPortfolio(1);
    const { id, digest } = await waiting();
    const answered = await say({ id, digest, answer: 'decline', words: 'Ask in January' });
    if (answered.is !== 'done') throw new Error(`it is ${answered.is}`);
    await carryOutAnswered(answered.approval, context);
    const [head = '', line = ''] = buyerLines(1);
    await bring([head, how === 'the same line' ? line : line.replace('Buyer 1 GmbH', 'Buyer One GmbH'), 'x'], {
      by: 'alice',
    });
    await approve();
    const [row] = await all('queued');
    const story = row && (await rowStory(row, context));
    const told = story ? timelineOf(story).map(({ words }) => String(words)) : [];
    expect(told[0]).toBe('The row was first imported with q4.csv (import 1 by alice).');
    expect(told[1]).toBe('That was declined by bob: Ask in January');
    expect(told).toContain('q4.csv (import 2 by alice) was approved by bob.');
  },
);

// Promise: row-tells-its-story
test('a row whose file is imported again keeps its first importer', async () => {
  const place = await openWorkplace({ faults: { rules: [{ on: 'company', fault: 'status', status: 422 }] } });
  const { context } = place;
  await place.import(buyerLines(1), { by: 'fin' });
  await place.work();
  await place.settled();
  await place.importFile(join(place.dir, 'q4.csv'), { decimal: '.' }, { by: 'root' });
  const [found] = (await context.rows.page('q4', {}, { count: 1 })).found;
  if (!found) throw new Error('the row is gone');
  const story = await rowStory(found.row, context);
  const words = story ? timelineOf(story).map((one) => one.words) : [];
  expect(words[0]).toBe('The row was first imported with q4.csv (import 1 by fin).');
  expect(words).toContain('q4.csv (import 2) was imported again by root: the row is its line 2.');
});

// Promise: row-shows-its-events
test('the history of a row shows the events that name it, also those before its answer was recorded', async () => {
  const place = openEvents();
  const { rows, calls, events } = place;
  await rows.put(ROW, 2, '1', makeRequest());
  await rows.begin(ROW, 'company');
  const company = { kind: 'company', key: 'buyer-of-muster', row: ROW, revision: '0' } as const;
  await calls.claim(company, { owner: 'a/1', onUnknown: 'hold' });
  await events.keep(eventOf('{"company":"company_1","type":"created"}'));
  const eventsOf = async () => (await rowStory(ROW, place))?.events.map(({ names, times }) => [names, times]);
  expect(await eventsOf()).toEqual([]);

  // The answer is recorded in the call, but the row does not have the id yet.
  await calls.settle(company, 'a/1', { id: 'company_1', record: {}, buyer: 'buyer-of-muster' });
  expect(await eventsOf()).toEqual([[['company_1'], 1]]);
  await rows.advance(ROW, 'company', 'limit', { company: 'company_1' });
  await rows.advance(ROW, 'limit', 'done', { limit: 'bl_1' });
  await events.keep(eventOf('<b>bl_1 of company_1 is reduced</b>'));
  await events.keep(eventOf('<b>bl_1 of company_1 is reduced</b>'));
  await events.keep(eventOf('bl_2 of company_2'));
  const story = await rowStory(ROW, place);
  // Both may have arrived in the same millisecond.
  expect(story?.events.map(({ names, times }) => [names, times]).sort()).toEqual([
    [['bl_1', 'company_1'], 2],
    [['company_1'], 1],
  ]);
  expect(story && timelineOf(story).map(({ words }) => words)).toEqual(
    expect.arrayContaining([
      'An event of the service came that names bl_1 and company_1, 2 times by now. It changed nothing here.',
      'An event of the service came that names company_1. It changed nothing here.',
    ]),
  );
  const [naming] = story?.events ?? [];
  const became = { contradicts: 1 };
  const told = story && naming && timelineOf({ ...story, events: [{ ...naming, became }] });
  expect(told?.map(({ words }) => words)).toContainEqual(
    expect.stringContaining('It changed nothing here. Its decisions: 1 unlike another of the same time.'),
  );
  // The events changed nothing.
  expect(story?.result).toMatchObject({ state: 'done', limitId: 'bl_1' });
});
