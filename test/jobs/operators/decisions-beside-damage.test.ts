import { expect, onTestFinished, test } from 'vitest';
import { startTakingEvents } from '../../../jobs/events/take-events.ts';
import { takeDecisions } from '../../../jobs/operators/take-decisions.ts';
import { decisionEvent, eventOf, MAPPING, mappingIn, writeMapping } from '../../support/events.ts';
import { fileOf, openFinishedPortfolio, soon, statusesOf } from '../../support/finished-portfolio.ts';
import { makeKeptLog } from '../../support/workplace.ts';

/** Ids of eight limits, one of which, `bl_q42`, has a row that cannot be read. */
async function openDamaged() {
  const place = await openFinishedPortfolio(14);
  const { ledger, keys, decisions } = place.context;
  const { key = '' } = (await decisions.find('bl_q42')) ?? {};
  await ledger.del(keys.row('q4', key));
  await ledger.set(keys.row('q4', key), 'damaged');
  return { ...place, ids: [1, 2, 4, 7, 8, 11, 13, 14].map((n) => `bl_q4${n}`) };
}

test('of limits that are found side by side, the damaged row of one fails that one alone', async () => {
  const { context, ids } = await openDamaged();
  const found = await Promise.allSettled(ids.map((id) => context.decisions.find(id)));
  expect(ids.filter((_id, place) => found[place]?.status === 'rejected')).toEqual(['bl_q42']);
});

test('events about other limits are taken when they are read first, though the row of one limit is damaged', async () => {
  const { context, dir, ids } = await openDamaged();
  const { ledger, keys, events } = context;
  for (const id of ids)
    await events.keep({
      ...eventOf(decisionEvent(id, 'declined', { at: new Date().toISOString() })),
      isToBeRead: true,
    });
  const mapping = mappingIn(writeMapping(dir, MAPPING));
  const { log, lines } = makeKeptLog();
  const taking = startTakingEvents({ ...context, log }, { mapping, everyMs: 50 });
  onTestFinished(() => taking.stop());
  await expect
    .poll(() => lines.filter(({ level }) => level === 'error').length, { timeout: 20_000 })
    .toBeGreaterThan(0);
  // The event about the damaged limit is handed out again after a minute.
  await expect.poll(() => ledger.zcard(keys.eventsUnread), { timeout: 20_000 }).toBe(1);
});

test('a file is taken though what is kept of one of its limits cannot be read, which its line says', async () => {
  const { context } = await openFinishedPortfolio(7);
  const { ledger, keys, decisions } = context;
  const key = (await decisions.find('bl_q41'))?.key ?? '';
  await ledger.hset(keys.call('limit', key), 'decided', '[{"by":');
  const said = ['bl_q41', 'bl_q42', 'bl_q44', 'bl_q47'].map((id) => [id, 'declined', 1] as const);
  expect(await takeDecisions(fileOf(said), context, { by: 'olga' })).toMatchObject({ taken: 3, problems: [{ at: 2 }] });
});

test('a row says the decision that was taken of its limit, though a damaged limit ends its file before a later one', async () => {
  const { context } = await openFinishedPortfolio(7);
  const { ledger, keys, decisions } = context;
  const key = (await decisions.find('bl_q47'))?.key ?? '';
  await ledger.hset(keys.call('limit', key), 'decided', '[{"by":');
  const file = fileOf([
    ['bl_q41', 'declined', 1],
    ['bl_q42', 'declined', 1],
    ['bl_q44', 'declined', 1],
    ['bl_q47', 'declined', 1],
    ['bl_q41', 'in_progress', 2],
  ]);
  for (let times = 0; times < 3; times += 1) await takeDecisions(file, context, { by: 'olga' }).catch(() => {});
  const { call, rows } = await statusesOf('bl_q41', context);
  expect(rows).toEqual([call]);
});

test('a row says the decision that was taken of its limit, though its file is stopped before a later one', async () => {
  const { context } = await openFinishedPortfolio(1);
  const stop = new AbortController();
  const decide: typeof context.decisions.decide = async (...word) => {
    const became = await context.decisions.decide(...word);
    stop.abort(new Error('stopped'));
    return became;
  };
  const file = fileOf([
    ['bl_q41', 'declined', 1],
    ['bl_q41', 'in_progress', 2],
  ]);
  const deps = { ...context, decisions: { ...context.decisions, decide } };
  await expect(takeDecisions(file, deps, { by: 'olga', signal: stop.signal })).rejects.toThrow('stopped');
  expect(soon(1)).toBe((await context.decisions.find('bl_q41'))?.decidedAt);
  expect(await statusesOf('bl_q41', context)).toEqual({ call: 'declined', rows: ['declined'] });
});
