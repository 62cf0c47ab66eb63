import fc from 'fast-check';
import { expect, test } from 'vitest';
import { recordWords } from '../../../src/console/pages/row/timeline.ts';
import { openDecisions, openFinishedPortfolio, TOLD as told } from '../../support/finished-portfolio.ts';
import { buyerLines, openWorkplace } from '../../support/workplace.ts';

// Promise: latest-decision-counts
test('the latest decision counts, in whatever order and however often decisions arrive', async () => {
  const { limitOf, word: wordOf, decisions, rows, portfolios, stories } = await openDecisions(1);
  const limit = await limitOf();
  const row = limit.maker;
  const asked = {
    status: fc.constantFrom('approved', 'declined', 'in_progress'),
    total: fc.constantFrom('', '0', '999', '1001.5'),
  };
  const day = fc.integer({ min: 1, max: 28 }).map((n) => String(n).padStart(2, '0'));
  const word = fc.record({ ...asked, available: fc.constant(''), day });
  // Decisions are later than the answers.
  let year = 2100;
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(word, { minLength: 1, maxLength: 6, selector: (one) => one.day }),
      async (words) => {
        // Each case is later than the case before.
        year += 1;
        const said = words.map(({ day: of, status, ...one }) => {
          return wordOf(status, { ...one, at: `${year}-01-${of}T00:00:00.000Z` });
        });
        await Promise.all(
          [...said, ...said].map(async (one) => {
            await decisions.decide(limit, one, told);
            await decisions.follow(row, one.limit, told);
          }),
        );
        const last = said.reduce((late, one) => (one.at > late.at ? one : late));
        const [now] = await rows.read([row]);
        expect(now?.record).toEqual({
          status: last.status,
          ...(last.total === '' ? {} : { total_limit: last.total }),
          decided_at: last.at,
        });
        const { statuses, answers } = await portfolios.read('q4');
        const granted = last.total === '' ? '0.00' : Number(last.total).toFixed(2);
        expect(statuses).toEqual({ [last.status]: 1 });
        expect(answers).toMatchObject([{ status: last.status, rows: 1, granted }]);
        // A later import copies the same record from the call.
        const [call] = await stories.calls([{ kind: 'limit', key: row.key }]);
        expect(call).toMatchObject({ id: 'bl_q41', record: now?.record });
      },
    ),
    { numRuns: 25 },
  );
  expect((await stories.entries(row))[0]).toMatchObject({ is: 'decided', by: 'anna', file: 'later.csv' });
});

// Promise: decision-changes-the-row
test('a decision changes a row but not its state, and the same decision again changes nothing', async () => {
  const { decide, limitOf, rows, stories, ledger, keys } = await openDecisions(4);
  const { maker: row } = await limitOf();
  const longAgo = Date.parse('2026-01-02T03:04:05.678Z');
  await ledger.hset(keys.row('q4', row.key), 'updated', longAgo);
  const take = async (at: string, status = 'declined') => {
    await decide(status, { at });
    const [now] = await rows.read([row]);
    return now?.updatedMs ?? 0;
  };
  const first = await take('2100-01-01T00:00:00.000Z');
  expect(first).toBeGreaterThan(longAgo);
  expect(await take('2100-01-02T00:00:00.000Z')).toBe(first);
  const last = await take('2100-01-03T00:00:00.000Z', 'approved');
  const changed = await rows.page('q4', {}, { count: 1, order: '-changed' });
  expect(changed.found.map((one) => one.row)).toEqual([row]);
  expect(await stories.entries(row)).toMatchObject([{ atMs: first }, { atMs: last }]);
  expect((await rows.read([row]))[0]?.sinceMs).toBe(longAgo);
});

test('a decision with equal amounts, or without a time and without news, is no new decision', async () => {
  const { decide, limitOf, stories } = await openDecisions(1);
  const at = '2100-11-02T00:00:00.000Z';
  const word = { total: '1000.00', available: '9e2', at };
  expect(await decide('approved', { ...word, isDated: false })).toMatchObject({ decided: 'same' });
  // A decision from an earlier time is therefore still accepted.
  const earlier = { ...word, at: '2100-11-01T00:00:00.000Z' };
  expect(await decide('declined', earlier)).toMatchObject({ decided: 'taken' });
  // A missing total keeps the known one, and the available amount becomes unknown.
  const silent = { at, total: undefined, available: undefined };
  expect(await decide('in_progress', silent)).toMatchObject({ decided: 'taken' });
  const [call] = await stories.calls([{ kind: 'limit', key: (await limitOf()).key }]);
  expect(call?.record).toEqual({ status: 'in_progress', total_limit: '1000.00', decided_at: at });
});

test("a decision is refused if the row's limit is another one or not made, or its call is unreadable", async () => {
  const { decide, limitOf, word, decisions, rows, ledger, keys } = await openDecisions(3);
  for (const state of ['done', 'refused'] as const) {
    const [one] = await rows.inState('q4', state, { count: 1 });
    if (!one) throw new Error(`no row is ${state}`);
    const [before] = await rows.read([one.row]);
    const limit = { ...(await limitOf()), key: one.row.key, maker: one.row };
    expect(await decisions.decide(limit, word('declined', { limit: 'bl_other' }), told)).toBe('not made');
    expect(await decisions.follow(one.row, 'bl_other', told)).toBe('not made');
    expect(await rows.read([one.row])).toEqual([before]);
  }
  await ledger.hset(keys.call('limit', (await limitOf()).key), 'record', '{');
  expect(await decide('declined')).toMatchObject({ decided: 'damaged' });
});

// Promise: latest-decision-counts
test.each(['limit', 'held'] as const)(
  'a decision that arrives before a row in state %s has its answer is kept when the answer is written',
  async (state) => {
    const { context, import: bring } = await openWorkplace();
    const { decisions, rows, calls, portfolios, stories } = context;
    await bring(buyerLines(1), { by: 'alice' });
    const [waiting] = await rows.inState('q4', 'queued', { count: 1 });
    if (!waiting) throw new Error('no row');
    const { row } = waiting;
    const [before] = await rows.read([row]);
    await rows.begin(row, 'company');
    await rows.advance(row, 'company', 'limit', { company: 'company_1' });
    const call = { kind: 'limit', key: row.key, row, revision: '0' } as const;
    await calls.claim(call, { owner: 'w/1', onUnknown: 'hold' });
    if (state === 'held')
      await rows.advance(row, 'limit', 'held', { problem: { step: 'limit', message: 'no answer' } });
    const record = { status: 'in_progress', total_limit: '0', available_limit: '0' };
    await calls.settle(call, 'w/1', { id: 'bl_1', record, buyer: before?.request.buyer ?? '' });
    const limit = await decisions.find('bl_1');
    if (!limit) throw new Error('no limit');
    const at = '2100-11-02T00:00:00.000Z';
    const word = { limit: 'bl_1', status: 'approved', total: '900', available: '900', at, isDated: true };
    expect(await decisions.decide(limit, word, told)).toBe('taken');
    expect(await decisions.follow(row, 'bl_1', told)).toBe('not made');

    await rows.advance(row, 'limit', 'done', { limit: 'bl_1', record });
    const [now] = await rows.read([row]);
    const said = { status: 'approved', total_limit: '900', available_limit: '900', decided_at: at };
    expect(now).toMatchObject({ state: 'done', record: said });
    expect((await portfolios.read('q4')).answers).toMatchObject([{ status: 'approved', rows: 1, granted: '900.00' }]);
    expect((await stories.entries(row)).at(-1)).toMatchObject({ is: 'decided', by: 'anna', at, said });
    expect(await decisions.follow(row, 'bl_1', told)).toBe('same');
  },
);

test('the time since a row is in its state stays after more decisions than its history has entries', async () => {
  const { decide, limitOf, rows, ledger, keys } = await openDecisions(1);
  const { maker: row } = await limitOf();
  const longAgo = Date.parse('2026-01-02T03:04:05.678Z');
  await ledger.hset(keys.row('q4', row.key), 'updated', longAgo);
  for (let n = 1; n <= 51; n += 1) {
    const at = `2100-01-01T00:${String(n).padStart(2, '0')}:00.000Z`;
    const { followed } = await decide('approved', { total: '1000', available: String(n), at });
    expect(followed).toBe('follows');
  }
  expect((await rows.read([row]))[0]?.sinceMs).toBe(longAgo);
});

test('the rows of a limit are found if its buyer has few requests, many requests, or is unknown', async () => {
  const { limitOf, decisions, ledger, keys } = await openDecisions(1);
  const limit = await limitOf();
  const all = [limit.maker];
  expect(await decisions.rowsOf(limit, async () => [])).toEqual(all);
  expect(await decisions.rowsOf({ ...limit, buyer: '', maker: undefined }, async () => ['q4', 'other'])).toEqual(all);
  const others = Object.fromEntries(Array.from({ length: 100 }, (_one, n) => [`q4/${n}`, '1']));
  await ledger.hset(keys.buyerRows(limit.buyer), others);
  expect(await decisions.rowsOf({ ...limit, maker: undefined }, async () => ['q4', 'other'])).toEqual(all);
  expect(await decisions.rowsOf({ ...limit, maker: undefined }, async () => ['other'])).toEqual([]);
});

test('a call keeps its last 50 decisions, also from files with quotes in their names', async () => {
  const { limitOf, word, decisions, ledger, keys } = await openDecisions(1);
  const limit = await limitOf();
  for (let n = 0; n < 53; n += 1) {
    const at = `2100-01-01T00:00:${String(n).padStart(2, '0')}.000Z`;
    const told = { by: 'anna', file: n === 1 ? '{"said":[}].csv' : 'later.csv' };
    expect(await decisions.decide(limit, word(`s${n}`, { at }), told)).toBe('taken');
  }
  const kept = JSON.parse((await ledger.hget(keys.call('limit', limit.key), 'decided')) ?? '[]');
  expect(kept.map((one: { said: { status: string } }) => one.said.status)).toEqual(
    Array.from({ length: 50 }, (_one, n) => `s${n + 3}`),
  );
});

test.each([
  ['a record that a results file restored after the ledger was lost', 'a results file', { status: 'rejected' }],
  ['an id that a person gave because the answer never arrived', 'a person', {}],
])('%s is not shown as the first answer of the service', async (_what, by, record) => {
  const { decide, limitOf, stories, ledger, keys } = await openDecisions(1);
  const { key } = await limitOf();
  await ledger.hset(keys.call('limit', key), { by, record: JSON.stringify(record), at: Date.now() });
  await decide('rejected');
  const [call] = await stories.calls([{ kind: 'limit', key }]);
  expect(call?.decided).toMatchObject({ file: 'later.csv' });
  // The row's page would show "Answered at first: nothing".
  expect(call?.answered && recordWords(call.answered)).toBeUndefined();
});

test.each([
  { of: 'in turn', names: ['a', 'b', 'a', 'b', 'a'] },
  { of: 'one behind the other', names: ['a', 'a', 'b', 'b', 'b'] },
])('decisions on rows of two portfolios, $of, are noted as reported by portfolio', async ({ names }) => {
  const { context } = await openFinishedPortfolio(1);
  const { decisions, ledger, keys } = context;
  const entries = names.flatMap((name, at) => [
    at + 1,
    `${at + 1} ${JSON.stringify({ row: `${name}/${at}`, status: 's', atMs: 1 })}`,
  ]);
  await ledger.zadd(keys.decidedRows, ...entries);
  await ledger.hset(keys.noticeStates, 'portfolio a decided', 'up to 4');
  const ofA = (await decisions.untold()).filter(({ row }) => row.startsWith('a/'));
  await decisions.noteTold('portfolio a decided', ofA);
  const left = names.flatMap((name, at) => (name === 'a' && at < 4 ? [] : [`${name}/${at}`]));
  expect((await decisions.untold()).map(({ row }) => row)).toEqual(left);
});
