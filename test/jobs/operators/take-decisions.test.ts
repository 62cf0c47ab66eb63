import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { takeDecisions } from '../../../jobs/operators/take-decisions.ts';
import { makeDecisionsDesk } from '../../../jobs/operators/upload-decisions.ts';
import { summarize } from '../../../src/ledger/portfolios/summary.ts';
import { rowName } from '../../../src/ledger/schema/schema.ts';
import { readDecisionsFile } from '../../../src/portfolio/results/decisions-file.ts';
import { fileOf, openFinishedPortfolio, soon, statusesOf } from '../../support/finished-portfolio.ts';
import { buyerLines, makeFolder } from '../../support/workplace.ts';

/** A dropped file with decisions `<id> <status>`, and the options with which it is imported. */
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
test('a file with a day as time, imported again the next day, does not undo a correction of that day', async () => {
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

test("a dropped file's status that resembles another in the file is not applied", async () => {
  const { context } = await openFinishedPortfolio(4);
  const file = droppedFile('bl_q41 rejected', 'bl_q42 rejected', 'bl_q44 rejectd');
  const problems = [{ at: 4, message: expect.stringContaining('Did you mean "rejected"?') }];
  expect(await takeDecisions(file, context, DROPPED)).toMatchObject({ taken: 2, problems });
});

test('a dropped file imported again after a kill applies the same decisions as without the kill', async () => {
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
  // With one line each, the file does not show which of the two is right.
  const alike = droppedFile('bl_q41 declined', 'bl_q42 declind');
  expect(await takeDecisions(alike, context, { ...how, now: new Date() })).toMatchObject({ taken: 0 });
});

test('a dropped file that repeats decisions of archived rows is known, and its statuses raise no question', async () => {
  const { context, archive } = await openFinishedPortfolio(1);
  const [line] = droppedFile('bl_q41 unapproved').decisions;
  const decided = new Date(Date.now() + 1_000).toISOString();
  const file = { ...droppedFile(), decisions: line ? [{ ...line, decided }] : [] };
  expect(await takeDecisions(file, context, { by: 'olga' })).toMatchObject({ taken: 1 });
  await archive();
  expect(await takeDecisions(file, context, DROPPED)).toMatchObject({ known: 1, problems: [] });
});

test('an archived row that two lines name is counted once among the rows that do not follow yet', async () => {
  const place = await openFinishedPortfolio(1);
  const { context, archive } = place;
  const [line] = droppedFile('bl_q41 declined').decisions;
  const maker = (await context.decisions.find('bl_q41'))?.maker;
  if (!line || !maker) throw new Error('no row');
  await place.import(buyerLines(1), { portfolio: 'again' });
  const again = { portfolio: 'again', key: maker.key };
  await archive();
  const decided = new Date(Date.now() + 1_000).toISOString();
  const byRow = { ...line, at: 3, id: '', row: rowName(again), decided };
  const file = { ...droppedFile(), decisions: [{ ...line, decided }, byRow] };
  expect(await takeDecisions(file, context, { by: 'olga' })).toMatchObject({ taken: 1, known: 1, left: 1 });
});

test('an upload names the command for a decision of another portfolio that is archived, since its page takes none', async () => {
  const place = await openFinishedPortfolio(1);
  await place.archive();
  await place.import(['name,requested_limit', 'Other AG,5'], { portfolio: 'other' });
  const { problems } = await takeDecisions(droppedFile('bl_q41 declined'), place.context, {
    by: 'olga',
    only: 'other',
  });
  const message =
    'The limit bl_q41 is of no row of portfolio other, but of portfolio q4, which is archived: npx limitline decisions takes its decision in.';
  expect(problems).toEqual([{ at: 2, message, portfolio: 'q4' }]);
});

test('rows get the last applied decision even if a later status in the file may be mistyped', async () => {
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

test('a line by id and a line by row with equal content for one limit do not contradict each other', async () => {
  const { context } = await openFinishedPortfolio(1);
  const [line] = droppedFile('bl_q41 declined').decisions;
  const maker = (await context.decisions.find('bl_q41'))?.maker;
  if (!line || !maker) throw new Error('no row');
  const decided = new Date(Date.now() + 1_000).toISOString();
  const byRow = { ...line, at: 3, id: '', row: rowName(maker), decided };
  const file = { ...droppedFile(), decisions: [{ ...line, decided }, byRow] };
  expect(await takeDecisions(file, context, { by: 'olga' })).toMatchObject({ taken: 1, known: 1, problems: [] });
});

/** The decisions in the history of a limit's row, oldest first. */
async function decidedOf(
  id: string,
  { decisions, stories }: Awaited<ReturnType<typeof openFinishedPortfolio>>['context'],
) {
  const maker = (await decisions.find(id))?.maker;
  const told = maker ? await stories.entries(maker) : [];
  return told.flatMap((entry) => (entry.is === 'decided' ? [entry] : []));
}

test('the history keeps the last 50 of 53 decisions in one file, each with its previous status', async () => {
  const { context } = await openFinishedPortfolio(1);
  const said = Array.from({ length: 53 }, (_one, n) => ['bl_q41', `s${n}`, n] as const);
  expect(await takeDecisions(fileOf(said), context, { by: 'olga' })).toMatchObject({ taken: 53, rows: 1 });
  const told = await decidedOf('bl_q41', context);
  expect(told.map((entry) => `${entry.before?.status} → ${entry.said.status}`)).toEqual(
    Array.from({ length: 50 }, (_one, n) => `s${n + 2} → s${n + 3}`),
  );
  expect((await context.portfolios.read('q4')).statuses).toEqual({ s52: 1 });
});

test("the history of a restored row shows the author of its decision, also from an earlier version's record", async () => {
  const { context, archive, restore } = await openFinishedPortfolio(1);
  const { ledger, keys, decisions } = context;
  await archive();
  await takeDecisions(fileOf([['bl_q41', 'declined', 1]]), context, { by: 'anna' });
  const { key = '' } = (await decisions.find('bl_q41')) ?? {};
  await ledger.hset(keys.call('limit', key), 'decided', JSON.stringify({ by: 'anna', file: 'later.csv' }));
  await restore();
  expect(await decidedOf('bl_q41', context)).toMatchObject([{ by: 'anna', file: 'later.csv' }]);
});

test('a repeated decision with a later time does not replace the first author', async () => {
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

test('the list of recent answers expires even if the first of several decisions is older than eight days', async () => {
  const { context } = await openFinishedPortfolio(2);
  const { ledger, keys, decisions } = context;
  const ids = ['bl_q41', 'bl_q42'];
  // The limits were requested ten days ago.
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

test('a dry run foresees the effect of a day after two times of that day in one file', async () => {
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
test('a dry run and the import list the same first ten changed rows', async () => {
  const { context } = await openFinishedPortfolio(24);
  const said = Array.from({ length: 24 }, (_one, place) => [`bl_q4${place + 1}`, 'declined', 1] as const);
  const dry = await takeDecisions(fileOf(said), context, { by: 'olga', dryRun: true });
  const done = await takeDecisions(fileOf(said), context, { by: 'olga' });
  expect([dry.would?.rows.length, dry.did, done.did?.rows.length, done.would]).toEqual([10, undefined, 10, undefined]);
  expect(done.did?.rows).toEqual(dry.would?.rows);
});

// Promise: mistyped-status-asked
test('the warning about a possibly mistyped status names its first line, in a dry run as well', async () => {
  const { context } = await openFinishedPortfolio(2);
  // The first line is processed in the second lane, and the other in the first.
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

test('a dry run warns like the import of archived rows that do not get the decision', async () => {
  const { context, archive } = await openFinishedPortfolio(1);
  await archive();
  const file = fileOf([['bl_q41', 'declined', 1]]);
  const dry = await takeDecisions(file, context, { by: 'olga', dryRun: true });
  const { left, warnings } = await takeDecisions(file, context, { by: 'olga' });
  expect({ left: dry.left, warnings: dry.warnings.length }).toEqual({ left, warnings: warnings.length });
});

// Promise: upload-taken-once
test('an upload of decisions is applied once if two consoles confirm it', async () => {
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
])('the notice about a limit of %s that becomes approved agrees with its outcome', async (total, outcome, words) => {
  const { context } = await openFinishedPortfolio(1);
  const told: string[] = [];
  const report = async ([{ notice }]: [{ notice: { title: string } }]) => told.push(notice.title);
  const { key = '' } = (await context.decisions.find('bl_q41')) ?? {};
  const record = JSON.stringify({ status: 'in_progress', total_limit: total });
  await context.ledger.hset(context.keys.call('limit', key), { record });
  // The decision itself gives no amount.
  const said = { total: undefined, available: undefined, decided: undefined };
  const decisions = [{ at: 2, id: 'bl_q41', row: '', status: 'approved', ...said }];
  const file = { name: 'later.csv', decisions, silent: 0, problems: [], lacks: [], unread: [], dialect: {} as never };
  const now = new Date('2100-01-01T00:00:00Z');
  await takeDecisions(file, { ...context, outbox: { report } as never }, { by: 'anna', now });
  expect(await summarize('q4', context)).toMatchObject({ outcomes: { [outcome]: { rows: 1 } } });
  expect(told).toEqual([expect.stringMatching(new RegExp(`: ${words}$`))]);
});
