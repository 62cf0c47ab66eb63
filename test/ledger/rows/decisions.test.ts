import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openFinishedPortfolio } from '../../support/finished-portfolio.ts';
import { ownRedis } from '../../support/redis/own-database.ts';
import { buyerLines, openWorkplace } from '../../support/workplace.ts';

const told = { by: 'anna', file: 'later.csv' };

// Promise: latest-decision-counts
test('in whatever order decisions come, and however often, the latest one counts', async () => {
  const { context } = await openFinishedPortfolio(1);
  const { decisions, rows, portfolios, stories } = context;
  const id = 'bl_q41';
  const limit = await decisions.find(id);
  if (!limit) throw new Error('no limit');
  const [row] = await decisions.rowsOf(limit, async () => ['q4']);
  if (!row) throw new Error('no row');
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
        // Each case is later than all of the case before.
        year += 1;
        const said = words.map(({ day: of, ...one }) => {
          return { ...one, limit: id, at: `${year}-01-${of}T00:00:00.000Z`, isDated: true };
        });
        await Promise.all(
          [...said, ...said].map(async (one) => {
            await decisions.decide(limit, one, told);
            await decisions.follow(row, id, told);
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
        // What a later import copies from the call is the same.
        const [call] = await stories.calls([{ kind: 'limit', key: row.key }]);
        expect(call).toMatchObject({ id, record: now?.record });
      },
    ),
    { numRuns: 25 },
  );
  expect((await stories.entries(row))[0]).toMatchObject({ is: 'decided', by: 'anna', file: 'later.csv' });
});

// Promise: decision-changes-the-row
test('a decision is a change of the row, which stays in its state, and the same word again is none', async () => {
  const { context } = await openFinishedPortfolio(4);
  const { decisions, rows, stories, ledger, keys } = context;
  const id = 'bl_q41';
  const limit = await decisions.find(id);
  const row = limit?.maker;
  if (!limit || !row) throw new Error('no limit');
  const longAgo = Date.parse('2026-01-02T03:04:05.678Z');
  await ledger.hset(keys.row('q4', row.key), 'updated', longAgo);
  const take = async (at: string, status = 'declined') => {
    const word = { limit: id, status, total: '', available: '', at, isDated: true };
    await decisions.decide(limit, word, told);
    await decisions.follow(row, id, told);
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

test('equal amounts written otherwise, and a word without a time that says what is known, are no other decision', async () => {
  const { context } = await openFinishedPortfolio(1);
  const { decisions } = context;
  const limit = await decisions.find('bl_q41');
  if (!limit) throw new Error('no limit');
  const word = {
    limit: 'bl_q41',
    status: 'approved',
    total: '1000.00',
    available: '9e2',
    at: '2100-11-02T00:00:00.000Z',
  };
  expect(await decisions.decide(limit, { ...word, isDated: false }, told)).toBe('same');
  // So a decision of an earlier time is still heard.
  const earlier = { ...word, status: 'declined', at: '2100-11-01T00:00:00.000Z', isDated: true };
  expect(await decisions.decide(limit, earlier, told)).toBe('taken');
  // A total of which nothing is said stays, and nothing is known any more of what is available.
  const silent = { ...word, status: 'in_progress', total: undefined, available: undefined, isDated: true };
  expect(await decisions.decide(limit, silent, told)).toBe('taken');
  const [call] = await context.stories.calls([{ kind: 'limit', key: limit.key }]);
  expect(call?.record).toEqual({ status: 'in_progress', total_limit: '1000.00', decided_at: word.at });
});

test('nothing is decided of a row whose limit is another one, or is not made, or whose call cannot be read', async () => {
  const { context } = await openFinishedPortfolio(3);
  const { decisions, rows, ledger, keys } = context;
  const word = { status: 'declined', total: '', available: '', at: '2026-11-02T00:00:00.000Z', isDated: true };
  for (const state of ['done', 'refused'] as const) {
    const [one] = await rows.inState('q4', state, { count: 1 });
    if (!one) throw new Error(`no row is ${state}`);
    const [before] = await rows.read([one.row]);
    const limit = {
      key: one.row.key,
      maker: one.row,
      decided: undefined,
      decidedAt: '',
      askedMs: 0,
      requested: '',
      buyer: '',
      name: '',
      importId: '',
      shared: '',
      record: {},
    };
    expect(await decisions.decide(limit, { ...word, limit: 'bl_other' }, told)).toBe('not made');
    expect(await decisions.follow(one.row, 'bl_other', told)).toBe('not made');
    expect(await rows.read([one.row])).toEqual([before]);
  }
  const limit = await decisions.find('bl_q41');
  if (!limit) throw new Error('no limit');
  await ledger.hset(keys.call('limit', limit.key), 'record', '{');
  expect(await decisions.decide(limit, { ...word, limit: 'bl_q41' }, told)).toBe('damaged');
});

// Promise: latest-decision-counts
test.each(['limit', 'held'] as const)(
  'a decision that comes before a row in state %s has its answer stays, though the answer is written then',
  async (state) => {
    const { context, import: bring } = await openWorkplace({ env: ownRedis() });
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

test('a row whose available amount changed more often than its history has entries is still in its state since it was answered', async () => {
  const { context } = await openFinishedPortfolio(1);
  const { decisions, rows, ledger, keys } = context;
  const id = 'bl_q41';
  const limit = await decisions.find(id);
  const row = limit?.maker;
  if (!limit || !row) throw new Error('no limit');
  const longAgo = Date.parse('2026-01-02T03:04:05.678Z');
  await ledger.hset(keys.row('q4', row.key), 'updated', longAgo);
  for (let n = 1; n <= 51; n += 1) {
    const at = `2100-01-01T00:${String(n).padStart(2, '0')}:00.000Z`;
    await decisions.decide(
      limit,
      { limit: id, status: 'approved', total: '1000', available: String(n), at, isDated: true },
      told,
    );
    expect(await decisions.follow(row, id, told)).toBe('follows');
  }
  expect((await rows.read([row]))[0]?.sinceMs).toBe(longAgo);
});

test('the rows of a limit are found whether their buyer has few requests, many, or is not known', async () => {
  const { context } = await openFinishedPortfolio(1);
  const { decisions, ledger, keys } = context;
  const limit = await decisions.find('bl_q41');
  if (!limit?.maker) throw new Error('no limit');
  const all = [limit.maker];
  expect(await decisions.rowsOf(limit, async () => [])).toEqual(all);
  expect(await decisions.rowsOf({ ...limit, buyer: '', maker: undefined }, async () => ['q4', 'other'])).toEqual(all);
  const others = Object.fromEntries(Array.from({ length: 100 }, (_one, n) => [`q4/${n}`, '1']));
  await ledger.hset(keys.buyerRows(limit.buyer), others);
  expect(await decisions.rowsOf({ ...limit, maker: undefined }, async () => ['q4', 'other'])).toEqual(all);
  expect(await decisions.rowsOf({ ...limit, maker: undefined }, async () => ['other'])).toEqual([]);
});

test('a call keeps its last 50 decisions, also those of files whose names have quotes', async () => {
  const { context } = await openFinishedPortfolio(1);
  const { decisions, ledger, keys } = context;
  const limit = await decisions.find('bl_q41');
  if (!limit) throw new Error('no limit');
  for (let n = 0; n < 53; n += 1) {
    const word = { limit: 'bl_q41', status: `s${n}`, total: '1', available: '1', isDated: true };
    const at = `2100-01-01T00:00:${String(n).padStart(2, '0')}.000Z`;
    const told = { by: 'anna', file: n === 1 ? '{"said":[}].csv' : 'later.csv' };
    expect(await decisions.decide(limit, { ...word, at }, told)).toBe('taken');
  }
  const kept = JSON.parse((await ledger.hget(keys.call('limit', limit.key), 'decided')) ?? '[]');
  expect(kept.map((one: { said: { status: string } }) => one.said.status)).toEqual(
    Array.from({ length: 50 }, (_one, n) => `s${n + 3}`),
  );
});

test.each([
  { of: 'in turn', names: ['a', 'b', 'a', 'b', 'a'] },
  { of: 'one behind the other', names: ['a', 'a', 'b', 'b', 'b'] },
])('rows of two portfolios that were decided $of are told by portfolio', async ({ names }) => {
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
