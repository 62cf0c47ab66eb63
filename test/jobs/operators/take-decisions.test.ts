import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { takeDecisions } from '../../../jobs/operators/take-decisions.ts';
import { makeDecisionsDesk } from '../../../jobs/operators/upload-decisions.ts';
import { summarize } from '../../../src/ledger/portfolios/summary.ts';
import { rowName } from '../../../src/ledger/schema/schema.ts';
import { readDecisionsFile } from '../../../src/portfolio/results/decisions-file.ts';
import { fileOf, openFinishedPortfolio, soon, statusesOf } from '../../support/finished-portfolio.ts';
import { makeFolder } from '../../support/workplace.ts';

/** Decisions of a dropped file, `<id> <status>` each, and how it is taken. */
const droppedFile = (...said: string[]) => ({
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
  const file = droppedFile('bl_q41 rejected', 'bl_q42 rejected', 'bl_q44 rejectd');
  const problems = [{ at: 4, message: expect.stringContaining('Did you mean "rejected"?') }];
  expect(await takeDecisions(file, context, DROPPED)).toMatchObject({ taken: 2, problems });
});

test('a dropped file that is taken again after a kill in its midst takes what it would have taken without one', async () => {
  const { context } = await openFinishedPortfolio(4);
  const how = { ...DROPPED, now: new Date() };
  const file = droppedFile('bl_q41 under_review', 'bl_q42 under_review', 'bl_q44 under_reviews');
  const whole = await takeDecisions(file, context, { ...how, dryRun: true });
  expect(whole).toMatchObject({ taken: 2, problems: [{ at: 4 }] });
  await takeDecisions(droppedFile('bl_q41 under_review'), context, how);
  expect(await takeDecisions(file, context, { ...how, again: true })).toMatchObject({
    taken: 2,
    problems: [{ at: 4 }],
  });
  // Which of two is right, as many lines cannot say.
  const alike = droppedFile('bl_q41 declined', 'bl_q42 declind');
  expect(await takeDecisions(alike, context, { ...how, now: new Date() })).toMatchObject({ taken: 0 });
});

test('a dropped file that only repeats what is known of archived rows is known, and its statuses are not asked about', async () => {
  const { context, archive } = await openFinishedPortfolio(1);
  const [line] = droppedFile('bl_q41 unapproved').decisions;
  const decided = new Date(Date.now() + 1_000).toISOString();
  const file = { ...droppedFile(), decisions: line ? [{ ...line, decided }] : [] };
  expect(await takeDecisions(file, context, { by: 'olga' })).toMatchObject({ taken: 1 });
  await archive();
  expect(await takeDecisions(file, context, DROPPED)).toMatchObject({ known: 1, problems: [] });
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
  const taken = await takeDecisions({ ...droppedFile(), decisions }, context, DROPPED);
  expect(taken).toMatchObject({ taken: 2, rows: 2, problems: [{ at: 4 }] });
  expect((await context.portfolios.read('q4')).statuses).toMatchObject({ declined: 2 });
});

test('a line by id and a line by row that say the same of one limit do not contradict each other', async () => {
  const { context } = await openFinishedPortfolio(1);
  const [line] = droppedFile('bl_q41 declined').decisions;
  const maker = (await context.decisions.find('bl_q41'))?.maker;
  if (!line || !maker) throw new Error('no row');
  const decided = new Date(Date.now() + 1_000).toISOString();
  const byRow = { ...line, at: 3, id: '', row: rowName(maker), decided };
  const file = { ...droppedFile(), decisions: [{ ...line, decided }, byRow] };
  expect(await takeDecisions(file, context, { by: 'olga' })).toMatchObject({ taken: 1, known: 1, problems: [] });
});

/** The decisions in the history of a limit's row, the oldest first. */
async function decidedOf(
  id: string,
  { decisions, stories }: Awaited<ReturnType<typeof openFinishedPortfolio>>['context'],
) {
  const maker = (await decisions.find(id))?.maker;
  const told = maker ? await stories.entries(maker) : [];
  return told.flatMap((entry) => (entry.is === 'decided' ? [entry] : []));
}

test('each of the last 50 of 53 decisions about a limit in one file has what was said before it', async () => {
  const { context } = await openFinishedPortfolio(1);
  const said = Array.from({ length: 53 }, (_one, n) => ['bl_q41', `s${n}`, n] as const);
  expect(await takeDecisions(fileOf(said), context, { by: 'olga' })).toMatchObject({ taken: 53, rows: 1 });
  const told = await decidedOf('bl_q41', context);
  expect(told.map((entry) => `${entry.before?.status} → ${entry.said.status}`)).toEqual(
    Array.from({ length: 50 }, (_one, n) => `s${n + 2} → s${n + 3}`),
  );
  expect((await context.portfolios.read('q4')).statuses).toEqual({ s52: 1 });
});

test('the history of a row that was archived has who brought its decision, which an earlier version kept alone', async () => {
  const { context, archive, restore } = await openFinishedPortfolio(1);
  const { ledger, keys, decisions } = context;
  await archive();
  await takeDecisions(fileOf([['bl_q41', 'declined', 1]]), context, { by: 'anna' });
  const { key = '' } = (await decisions.find('bl_q41')) ?? {};
  await ledger.hset(keys.call('limit', key), 'decided', JSON.stringify({ by: 'anna', file: 'later.csv' }));
  await restore();
  expect(await decidedOf('bl_q41', context)).toMatchObject([{ by: 'anna', file: 'later.csv' }]);
});

test('who repeats a word with a later time has not brought it, though an earlier version kept it alone', async () => {
  const { context } = await openFinishedPortfolio(1);
  const { ledger, keys, decisions } = context;
  await takeDecisions(fileOf([['bl_q41', 'declined', 1]]), context, { by: 'anna' });
  const { key = '' } = (await decisions.find('bl_q41')) ?? {};
  await ledger.hset(keys.call('limit', key), 'decided', JSON.stringify({ by: 'anna', file: 'later.csv' }));
  const repeated = { ...fileOf([['bl_q41', 'declined', 2]]), name: 'repeated.csv' };
  expect(await takeDecisions(repeated, context, { by: 'bob' })).toMatchObject({ taken: 0, known: 1 });
  expect((await decisions.find('bl_q41'))?.decidedAt).toBe(soon(2));
  expect((await decisions.find('bl_q41'))?.decided).toMatchObject({ by: 'anna', file: 'later.csv' });
});

test('what was answered lately ends by itself, though the first of several decisions is older than eight days', async () => {
  const { context } = await openFinishedPortfolio(2);
  const { ledger, keys, decisions } = context;
  const ids = ['bl_q41', 'bl_q42'];
  // The limits were asked for ten days ago.
  for (const id of ids) {
    const { key = '' } = (await decisions.find(id)) ?? {};
    await ledger.hset(keys.call('limit', key), 'at', `${Date.now() - 10 * DAY_MS}+5`);
  }
  const file = fileOf(ids.map((id) => [id, 'declined', undefined] as const));
  const said = file.decisions.map((one, place) => ({
    ...one,
    decided: new Date(Date.now() - (place === 0 ? 9 * DAY_MS : 60_000)).toISOString(),
  }));
  expect(await takeDecisions({ ...file, decisions: said }, context, { by: 'olga' })).toMatchObject({
    taken: 2,
    rows: 2,
  });
  expect(await ledger.zcard(keys.answeredLately)).toBe(1);
  expect(await ledger.pttl(keys.answeredLately)).toBeGreaterThan(0);
});

test('a dry run says what becomes of a day behind two times of that day in the same file', async () => {
  const { context } = await openFinishedPortfolio(1);
  const begin = Math.ceil(Date.now() / DAY_MS) * DAY_MS;
  const day = new Date(begin).toISOString().slice(0, 10);
  const now = new Date(begin + 33 * 3_600_000);
  const path = join(await makeFolder(), 'a.csv');
  const lines = [
    `bl_q41,declined,0,0,${day}T10:00:00Z`,
    `bl_q41,in_progress,0,0,${day}T12:00:00Z`,
    `bl_q41,declined,0,0,${day}`,
  ];
  await writeFile(path, `buyer_limit_id,status,total_limit,available_limit,decided_at\n${lines.join('\n')}\n`);
  const file = { ...(await readDecisionsFile(path, { now })), name: 'a.csv' };
  const dry = await takeDecisions(file, context, { by: 'olga', now, dryRun: true });
  const real = await takeDecisions(file, context, { by: 'olga', now });
  expect({ taken: real.taken, problems: real.problems.length }).toEqual({
    taken: dry.taken,
    problems: dry.problems.length,
  });
  // The latest decision by its own time counts, and a day means its end.
  expect((await statusesOf('bl_q41', context)).rows).toEqual([dry.would?.rows[0]?.after.status]);
});

// Promise: decisions-before-and-after
test('the first ten rows that change are named, of a dry run as of what is done', async () => {
  const { context } = await openFinishedPortfolio(24);
  const said = Array.from({ length: 24 }, (_one, place) => [`bl_q4${place + 1}`, 'declined', 1] as const);
  const dry = await takeDecisions(fileOf(said), context, { by: 'olga', dryRun: true });
  const done = await takeDecisions(fileOf(said), context, { by: 'olga' });
  expect([dry.would?.rows.length, dry.did, done.did?.rows.length, done.would]).toEqual([10, undefined, 10, undefined]);
  expect(done.did?.rows).toEqual(dry.would?.rows);
});

// Promise: mistyped-status-asked
test('of a status that may be mistyped the first line of the file is named, and so in its dry run', async () => {
  const { context } = await openFinishedPortfolio(2);
  // The first of them goes into the second lane, and the other one into the first.
  const said = Array.from({ length: 600 }, (_one, place) => [`bl_of_nobody_${place}`, 'approved', 1] as const);
  const file = fileOf(
    said.map((one, place) =>
      place === 1 ? (['bl_q41', 'aproved', 1] as const) : place === 300 ? (['bl_q42', 'aproved', 1] as const) : one,
    ),
  );
  for (const dryRun of [true, false]) {
    const { taken, warnings } = await takeDecisions(file, context, { by: 'olga', dryRun });
    const asked = warnings.filter(({ message }) => message.includes('Did you mean')).map(({ at }) => at);
    expect({ dryRun, taken, asked }).toEqual({ dryRun, taken: 2, asked: [3] });
  }
});

test('a dry run says which rows would not follow since they are archived, as the command does', async () => {
  const { context, archive } = await openFinishedPortfolio(1);
  await archive();
  const file = fileOf([['bl_q41', 'declined', 1]]);
  const dry = await takeDecisions(file, context, { by: 'olga', dryRun: true });
  const { left, warnings } = await takeDecisions(file, context, { by: 'olga' });
  expect({ left: dry.left, warnings: dry.warnings.length }).toEqual({ left, warnings: warnings.length });
});

// Promise: upload-taken-once
test('an upload is taken in once, though another console read it before and comes to take it after that', async () => {
  const { context } = await openFinishedPortfolio(1);
  const desk = makeDecisionsDesk(context);
  const content = Buffer.from('buyer_limit_id,status\nbl_q41,declined\n');
  const shown = await desk.look('q4', { fileName: 'later.csv', content, reading: {} }, 'olga');
  const { plans } = context;
  let first: unknown;
  const takeAnswer = async (id: string) => {
    first = await desk.take(id, 'q4', 'olga');
    return plans.takeAnswer(id);
  };
  const other = makeDecisionsDesk({ ...context, plans: { ...plans, takeAnswer } });
  expect(await other.take(shown.id, 'q4', 'pia')).toBeUndefined();
  expect(first).toMatchObject({ taken: 1 });
  expect(await desk.taken(shown.id, 'q4')).toMatchObject({ taken: 1 });
});

test.each([
  ['0.00', 'declined', '1 declined'],
  ['500.00', 'partly_approved', '1 approved'],
  [undefined, 'answered', '1 answered, outcome not known'],
])(
  'of a limit of %s whose status comes to mean approved, the notice says what the outcome says',
  async (total, outcome, words) => {
    const { context } = await openFinishedPortfolio(1);
    const told: string[] = [];
    const report = async ([{ notice }]: [{ notice: { title: string } }]) => told.push(notice.title);
    const { key = '' } = (await context.decisions.find('bl_q41')) ?? {};
    const record = JSON.stringify({ status: 'in_progress', total_limit: total });
    await context.ledger.hset(context.keys.call('limit', key), { record });
    // The decision itself says no amount.
    const said = { total: undefined, available: undefined, decided: undefined };
    const decisions = [{ at: 2, id: 'bl_q41', row: '', status: 'approved', ...said }];
    const file = { name: 'later.csv', decisions, silent: 0, problems: [], lacks: [], unread: [], dialect: {} as never };
    const now = new Date('2100-01-01T00:00:00Z');
    await takeDecisions(file, { ...context, outbox: { report } as never }, { by: 'anna', now });
    expect(await summarize('q4', context)).toMatchObject({ outcomes: { [outcome]: { rows: 1 } } });
    expect(told).toEqual([expect.stringMatching(new RegExp(`: ${words}$`))]);
  },
);
