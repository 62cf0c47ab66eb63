import { expect, onTestFinished, test } from 'vitest';
import { startTakingEvents } from '../../../jobs/events/take-events.ts';
import { takeDecisions } from '../../../jobs/operators/take-decisions.ts';
import { decisionEvent, eventOf, MAPPING, mappingIn, writeMapping } from '../../support/events.ts';
import { fileOf, openFinishedPortfolio, soon, statusesOf } from '../../support/finished-portfolio.ts';
import { makeKeptLog } from '../../support/workplace.ts';

/** The ids of eight limits. The row of `bl_q42` cannot be read. */
async function openDamaged() {
  const place = await openFinishedPortfolio(14);
  const { ledger, keys, decisions } = place.context;
  const { key = '' } = (await decisions.find('bl_q42')) ?? {};
  await ledger.del(keys.row('q4', key));
  await ledger.set(keys.row('q4', key), 'damaged');
  return { ...place, ids: [1, 2, 4, 7, 8, 11, 13, 14].map((n) => `bl_q4${n}`) };
}

test('a damaged row fails the look-up of its own limit only, among simultaneous look-ups', async () => {
  const { context, ids } = await openDamaged();
  const found = await Promise.allSettled(ids.map((id) => context.decisions.find(id)));
  expect(ids.filter((_id, place) => found[place]?.status === 'rejected')).toEqual(['bl_q42']);
});

test('events about other limits are applied even if the row of one limit is damaged', async () => {
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
  // The event about the damaged limit is returned to the queue after a minute.
  await expect.poll(() => ledger.zcard(keys.eventsUnread), { timeout: 20_000 }).toBe(1);
});

test("a decisions file is imported even if the record of one limit is unreadable, which is that line's problem", async () => {
  const { context } = await openFinishedPortfolio(7);
  const { ledger, keys, decisions } = context;
  const key = (await decisions.find('bl_q41'))?.key ?? '';
  await ledger.hset(keys.call('limit', key), 'decided', '[{"by":');
  const said = ['bl_q41', 'bl_q42', 'bl_q44', 'bl_q47'].map((id) => [id, 'declined', 1] as const);
  expect(await takeDecisions(fileOf(said), context, { by: 'olga' })).toMatchObject({ taken: 3, problems: [{ at: 2 }] });
});

test('a row shows its applied decision even if a damaged limit stops the file before a later decision', async () => {
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

test('a row shows its applied decision even if the import is stopped before a later decision', async () => {
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
