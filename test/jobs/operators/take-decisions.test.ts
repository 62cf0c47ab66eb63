import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { takeDecisions } from '../../../jobs/operators/take-decisions.ts';
import { rowName } from '../../../src/ledger/schema/schema.ts';
import { readDecisionsFile } from '../../../src/portfolio/results/decisions-file.ts';
import { openFinishedPortfolio } from '../../support/finished-portfolio.ts';
import { makeFolder } from '../../support/workplace.ts';

/** Decisions of a dropped file, `<id> <status>` each, and how it is taken. */
const fileOf = (...said: string[]) => ({
  decisions: said.map((words, at) => {
    const [id = '', status = ''] = words.split(' ');
    return { at: at + 2, id, row: '', status, total: undefined, available: undefined, decided: undefined };
  }),
  ...{ silent: 0, problems: [], warnings: [], name: 'a.decisions.csv' },
});
const DROPPED = { by: 'drop', isUnattended: true };

const DAY_MS = 86_400_000;

// Promise: correct-a-decision-today
test('a file of a day that is taken again on the next day does not undo the correction that was taken on that day', async () => {
  const { context } = await openFinishedPortfolio(1);
  const path = join(await makeFolder(), 'a.csv');
  const take = async (lines: string, now: Date, name = 'a.csv') => {
    await writeFile(path, `buyer_limit_id,status,decided_at\n${lines}\n`);
    const file = await readDecisionsFile(path, { now });
    return takeDecisions({ ...file, name }, context, { by: 'olga', now });
  };
  const begin = Math.ceil(Date.now() / DAY_MS) * DAY_MS;
  const day = new Date(begin).toISOString().slice(0, 10);
  const at = (hours: number) => new Date(begin + hours * 3_600_000);
  expect(await take(`bl_q41,rejected,${day}`, at(10))).toMatchObject({ taken: 1 });
  expect(await take('bl_q41,in_progress,', at(15), 'correction.csv')).toMatchObject({ taken: 1 });
  const { taken, problems } = await take(`bl_q41,rejected,${day}`, at(33));
  expect({ taken, problems }).toMatchObject({
    taken: 0,
    problems: [{ message: expect.stringContaining('corrected') }],
  });
  expect((await context.portfolios.read('q4')).statuses).toEqual({ in_progress: 1 });
  expect(await take(`bl_q41,declined,${day}`, at(34))).toMatchObject({ taken: 1 });
});

test('a status that may be a mistyped one of the lines beside it is not taken from a dropped file, though neither was seen before', async () => {
  const { context } = await openFinishedPortfolio(4);
  const file = fileOf('bl_q41 rejected', 'bl_q42 rejected', 'bl_q44 rejectd');
  const problems = [{ at: 4, message: expect.stringContaining('Did you mean "rejected"?') }];
  expect(await takeDecisions(file, context, DROPPED)).toMatchObject({ taken: 2, problems });
});

test('a dropped file that is taken again after a kill in its midst takes what it would have taken without one', async () => {
  const { context } = await openFinishedPortfolio(4);
  const how = { ...DROPPED, now: new Date() };
  const file = fileOf('bl_q41 under_review', 'bl_q42 under_review', 'bl_q44 under_reviews');
  const whole = await takeDecisions(file, context, { ...how, dryRun: true });
  expect(whole).toMatchObject({ taken: 2, problems: [{ at: 4 }] });
  await takeDecisions(fileOf('bl_q41 under_review'), context, how);
  expect(await takeDecisions(file, context, { ...how, again: true })).toMatchObject({
    taken: 2,
    problems: [{ at: 4 }],
  });
  // Which of two is right, as many lines cannot say.
  const alike = fileOf('bl_q41 declined', 'bl_q42 declind');
  expect(await takeDecisions(alike, context, { ...how, now: new Date() })).toMatchObject({ taken: 0 });
});

test('a dropped file that only repeats what is known of archived rows is known, and its statuses are not asked about', async () => {
  const { context, archive } = await openFinishedPortfolio(1);
  const [line] = fileOf('bl_q41 unapproved').decisions;
  const decided = new Date(Date.now() + 1_000).toISOString();
  const file = { ...fileOf(), decisions: line ? [{ ...line, decided }] : [] };
  expect(await takeDecisions(file, context, { by: 'olga' })).toMatchObject({ taken: 1 });
  await archive();
  expect(await takeDecisions(file, context, DROPPED)).toMatchObject({ known: 1, problems: [] });
});

test('of several decisions about a limit in one file, the row says the last one, and its history has each', async () => {
  const { context } = await openFinishedPortfolio(1);
  const soon = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString();
  const statuses = ['declined', 'under_review', 'approved'];
  const decisions = statuses.map((status, at) => ({
    ...{ at: at + 2, id: 'bl_q41', row: '', status, total: '10', available: '10', decided: soon(at + 1) },
  }));
  const file = { ...fileOf(), decisions };
  expect(await takeDecisions(file, context, { by: 'olga' })).toMatchObject({ taken: 3, rows: 1, left: 0 });
  const maker = (await context.decisions.find('bl_q41'))?.maker;
  if (!maker) throw new Error('no row');
  const told = (await context.stories.entries(maker)).filter((entry) => entry.is === 'decided');
  expect(told.map((entry) => entry.said?.status)).toEqual(statuses);
  expect((await context.portfolios.read('q4')).statuses).toEqual({ approved: 1 });
});

test('rows follow the decision that was taken where a later one of the file has a status that may be mistyped', async () => {
  const { context } = await openFinishedPortfolio(4);
  const soon = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString();
  const of = { row: '', total: '10', available: '10' };
  const decisions = [
    { ...of, at: 2, id: 'bl_q42', status: 'declined', decided: soon(1) },
    ...['declined', 'declind'].map((status, at) => ({
      ...of,
      at: at + 3,
      id: 'bl_q41',
      status,
      decided: soon(at + 1),
    })),
  ];
  const taken = await takeDecisions({ ...fileOf(), decisions }, context, DROPPED);
  expect(taken).toMatchObject({ taken: 2, rows: 2, problems: [{ at: 4 }] });
  expect((await context.portfolios.read('q4')).statuses).toMatchObject({ declined: 2 });
});

test('a line by id and a line by row that say the same of one limit do not contradict each other', async () => {
  const { context } = await openFinishedPortfolio(1);
  const [line] = fileOf('bl_q41 declined').decisions;
  const maker = (await context.decisions.find('bl_q41'))?.maker;
  if (!line || !maker) throw new Error('no row');
  const decided = new Date(Date.now() + 1_000).toISOString();
  const byRow = { ...line, at: 3, id: '', row: rowName(maker), decided };
  const file = { ...fileOf(), decisions: [{ ...line, decided }, byRow] };
  expect(await takeDecisions(file, context, { by: 'olga' })).toMatchObject({ taken: 1, known: 1, problems: [] });
});
