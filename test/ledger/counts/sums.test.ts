import { Big } from 'big.js';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { exactText } from '../../../src/ledger/counts/outcome-sums.ts';
import { summarize } from '../../../src/ledger/portfolios/summary.ts';
import { makeRequest, openLedger } from '../../support/ledger.ts';

const file = { id: 'f'.repeat(64), fileName: 'q4.csv', reading: '{}' };

/** A portfolio whose rows ended as given, each with a requested limit of 1000.10. */
async function finish(ends: { to: 'done' | 'skipped' | 'held'; record?: Record<string, string> }[]) {
  const { portfolios, rows, connection, keys, statusMeanings } = openLedger({ given: [['declined', 'declined']] });
  const run = await portfolios.startImport('q4', file);
  for (const [n, { to, record = {} }] of ends.entries()) {
    const row = { portfolio: 'q4', key: `row-${n}` };
    await rows.put(row, n + 2, file.id, makeRequest({ limit: { requested_limit: '1000.10' } }));
    await rows.advance(row, 'queued', to, { record });
  }
  await run.end();
  const report = () => summarize('q4', { account: 'a', portfolios, statusMeanings });
  return { portfolios, rows, connection, keys, statusMeanings, report };
}

// Promise: granted-before-apart
test('the report counts rows granted below their request, and what was granted before separately', async () => {
  const { report } = await finish([
    { to: 'done', record: { status: 'approved', total_limit: '1000.1', available_limit: '900' } },
    { to: 'done', record: { status: 'approved', total_limit: '1000.09', available_limit: '0' } },
    { to: 'done', record: { total_limit: 'later' } },
    { to: 'done', record: { status: 'declined', total_limit: '0' } },
    { to: 'done', record: { status: 'under review', total_limit: '500' } },
    { to: 'done', record: { status: 'approved', total_limit: '0.00' } },
    { to: 'held' },
    { to: 'skipped', record: { status: 'under review', total_limit: '0' } },
    { to: 'skipped', record: { status: 'approved', total_limit: '1000' } },
    { to: 'skipped', record: { status: 'approved', total_limit: '1000.10', available_limit: '1000.10' } },
  ]);
  expect(await report()).toMatchObject({
    requested: '6000.60',
    inAllRows: '10001.00',
    granted: '2000.19',
    available: '900.00',
    grantedBelow: 2,
    grantedNothing: 1,
    statuses: { approved: 3, declined: 1, 'under review': 1 },
    before: { granted: '2000.10', statuses: { 'under review': 1, approved: 2 } },
  });
});

// Promise: unknown-available-counted
test('an available amount that cannot be read is as unknown as one that is missing', async () => {
  const given = { status: 'approved', total_limit: '1000.1' };
  const { report } = await finish([
    { to: 'done', record: { ...given, available_limit: 'soon' } },
    { to: 'done', record: given },
    { to: 'done', record: { ...given, available_limit: '900' } },
  ]);
  expect(await report()).toMatchObject({ available: '900.00', withoutAvailable: 2, unreadable: 1 });
});

// Promises: one-outcome-each, status-meanings-setting
test('each row counts in one outcome, by the present meaning of its status', async () => {
  const { report, statusMeanings } = await finish([
    { to: 'done', record: { status: 'approved', total_limit: '1000.1' } },
    { to: 'done', record: { status: 'approved', total_limit: '1000.09' } },
    { to: 'done', record: { status: 'approved', total_limit: '0.00' } },
    { to: 'done', record: { status: 'approved' } },
    { to: 'done', record: { status: 'approved', total_limit: 'later' } },
    { to: 'done', record: { status: 'declined', total_limit: '0' } },
    { to: 'done', record: { status: 'in:review 1:0', total_limit: '500' } },
    { to: 'done', record: { total_limit: '9' } },
    { to: 'held' },
    { to: 'skipped', record: { status: 'approved', total_limit: '1000' } },
  ]);
  const sumOf = (rows: number, granted: string) => ({
    rows,
    requested: new Big('1000.10').times(rows).toFixed(2),
    granted,
  });
  const outcomes = {
    approved: sumOf(1, '1000.10'),
    partly_approved: sumOf(1, '1000.09'),
    under_review: sumOf(0, '0.00'),
    declined: sumOf(2, '0.00'),
    answered: sumOf(4, '0.00'),
    rejected: sumOf(0, '0.00'),
    needs_answer: sumOf(1, '0.00'),
    awaiting_approval: sumOf(0, '0.00'),
    sending: sumOf(0, '0.00'),
    waiting: sumOf(0, '0.00'),
    requested_before: sumOf(1, '1000.00'),
    not_sent: sumOf(0, '0.00'),
  };
  expect((await report())?.outcomes).toEqual(outcomes);
  await statusMeanings.set('in:review 1:0', 'review');
  const reviewed = { ...outcomes, answered: sumOf(3, '0.00'), under_review: sumOf(1, '0.00') };
  expect((await report())?.outcomes).toEqual(reviewed);
  await statusMeanings.set('in:review 1:0', 'approved');
  expect((await report())?.outcomes).toEqual({
    ...outcomes,
    answered: sumOf(3, '0.00'),
    partly_approved: sumOf(2, '1500.09'),
  });
  await statusMeanings.set('in:review 1:0', undefined);
  // A setting overrides what was stored for the account.
  await statusMeanings.set('declined', 'review');
  expect((await report())?.outcomes).toEqual(outcomes);
});

/** Fields with sums by answer, which older versions did not write. */
const NEWER = /(?:answer|unsaid):|(?:asked|given|free|before)\/|^skipped$/;

// Promise: older-rows-enter-sums
test.each([
  ['', ['done', 'skipped']],
  ['2', ['done', 'skipped']],
  ['3', ['skipped']],
])('rows that an older version did not sum by answer are added once, with %j', async (share, older) => {
  const record = { status: 'approved', total_limit: share === '' ? '1000.10' : share === '2' ? '7' : '0' };
  const { portfolios, connection, keys, report } = await finish([
    { to: 'done', record },
    { to: 'skipped', record },
  ]);
  const expected = (await report())?.outcomes;
  // As the older version wrote them.
  const { total_limit: granted } = record;
  for (const [n, state] of ['done', 'skipped'].entries()) {
    if (older.includes(state)) {
      await connection.hset(keys.row('q4', `row-${n}`), 'tally', `a|${state}|1000.10|${granted}||${share}||approved`);
    }
  }
  const fields = Object.keys(await connection.hgetall(keys.sums('q4', 'a')));
  const newer = older.includes('done') ? NEWER : /before\/|^skipped$/;
  await connection.hdel(keys.sums('q4', 'a'), ...fields.filter((field) => newer.test(field)));
  for (const sum of older.includes('done') ? ['granted', 'before'] : ['before']) {
    if (granted !== '0')
      await connection.hset(keys.sums('q4', 'a'), `sum:${sum}:0`, new Big(granted).times(100).toFixed());
  }
  expect((await report())?.outcomes).toEqual(expected);
  expect(await portfolios.compare(['q4'])).toEqual([]);
});

test('a portfolio whose rows an older version counted as below the request is recounted once', async () => {
  const { portfolios, connection, keys, report } = await finish([
    { to: 'done', record: { status: 'declined', total_limit: '0' } },
    { to: 'done', record: { status: 'approved', total_limit: '7' } },
  ]);
  // As the older version wrote them; the third belongs to no row.
  for (const [n, tally] of ['a|done|1000.10|0||1||declined', 'a|done|1000.10|7||1||approved'].entries()) {
    await connection.hset(keys.row('q4', `row-${n}`), 'tally', tally);
  }
  const fields = Object.keys(await connection.hgetall(keys.sums('q4', 'a')));
  const newer = fields.filter((field) => NEWER.test(field) || /^(?:below|nothing):/.test(field));
  await connection.hdel(keys.sums('q4', 'a'), ...newer);
  await connection.hset(keys.sums('q4', 'a'), 'below', 3, 'sum:granted:0', 700);
  expect(await report()).toMatchObject({ grantedBelow: 1, grantedNothing: 0, granted: '7.00' });
  expect(await connection.hget(keys.sums('q4', 'a'), 'below')).toBe('1');
  expect(await portfolios.compare(['q4'])).toEqual([{ portfolio: 'q4', is: 'sums', rows: 2, names: ['below'] }]);
});

// Promise: sums-change-with-the-row
test('a row that moves takes its amount to the sum of its new state, and no row is read for a report', async () => {
  const { rows, report } = await finish([
    { to: 'done', record: { status: 'approved', total_limit: '7' } },
    { to: 'held' },
  ]);
  const read = vi.spyOn(rows, 'read');
  expect(await report()).toMatchObject({
    granted: '7.00',
    byState: { queued: '0.00', done: '1000.10', held: '1000.10' },
  });
  await rows.advance({ portfolio: 'q4', key: 'row-1' }, 'held', 'done', {
    record: { status: 'approved', total_limit: '5' },
  });
  expect(await report()).toMatchObject({ granted: '12.00', byState: { done: '2000.20', held: '0.00' } });
  expect(read).not.toHaveBeenCalled();
});

test.each([
  ['1e999', '0.00'],
  ['9'.repeat(98), `${'9'.repeat(98)}.00`],
  ['1'.repeat(400), '0.00'],
  ['0.'.padEnd(44, '3'), '0.'.padEnd(44, '3')],
  ['0.'.padEnd(45, '3'), '0.00'],
  ['abc', '0.00'],
  ['', '0.00'],
  ['.5', '0.00'],
  ['5.', '0.00'],
  ['0x10', '0.00'],
  [' 5', '0.00'],
  ['5e', '0.00'],
  ['-5', '-5.00'],
  ['-0.00', '0.00'],
  ['0000000000000000000012.500', '12.50'],
  ['1.5e3', '1500.00'],
  ['1E+2', '100.00'],
  ['25e-4', '0.0025'],
  ['0.30000000000000004', '0.30000000000000004'],
  ['1e21', `1${'0'.repeat(21)}.00`],
  ['123456789012345.678901', '123456789012345.678901'],
  ['99999999.99', '99999999.99'],
  ['100000000.005', '100000000.005'],
])('an amount of %j adds %s to the sum, or is counted as unreadable', async (amount, sum) => {
  const { portfolios } = await finish([{ to: 'done', record: { total_limit: amount, available_limit: '1' } }]);
  const {
    answers,
    sums: { unreadable },
  } = await portfolios.read('q4');
  expect(answers).toMatchObject([{ granted: sum, available: '1.00' }]);
  expect(unreadable).toBe(sum === '0.00' && amount !== '' && amount !== '-0.00' ? 1 : 0);
});

test('every status of the service is counted, a very long one by its beginning', async () => {
  const words = ['a|b', 'two\nlines', 'status:x', '1', ` ${'é'.repeat(90)}`];
  const { report } = await finish([
    ...words.map((status) => ({ to: 'done' as const, record: { status } })),
    ...words.map((status) => ({ to: 'skipped' as const, record: { status } })),
  ]);
  const counts = { 'a|b': 1, 'two\nlines': 1, 'status:x': 1, '1': 1, [` ${'é'.repeat(49)}`]: 1 };
  expect(await report()).toMatchObject({ statuses: counts, before: { statuses: counts } });
});

// Promise: money-adds-up
test('sums are exact for any amounts', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyAmount, { minLength: 1, maxLength: 12 }), async (amounts) => {
      const { portfolios, rows } = openLedger();
      for (const [n, amount] of amounts.entries()) {
        const row = { portfolio: 'q4', key: `row-${n}` };
        await rows.put(row, n + 2, 'i', makeRequest({ limit: { requested_limit: amount } }));
        const record = { total_limit: amount, available_limit: amounts.at(-n) ?? '' };
        await rows.advance(row, 'queued', n % 2 ? 'done' : 'skipped', { record });
      }
      const sumOf = (parity: number) =>
        amounts.reduce((sum, amount, n) => (n % 2 === parity ? sum.plus(amount) : sum), new Big(0));
      const { sums, short, answers, earlier } = await portfolios.read('q4');
      expect(new Big(sums.inAllRows).eq(sumOf(0).plus(sumOf(1)))).toBe(true);
      expect(new Big(sums.requested).eq(sumOf(1))).toBe(true);
      const added = (some: readonly { granted: string }[]) => exactText(some.map(({ granted }) => granted));
      expect([new Big(added(answers)).eq(sumOf(1)), new Big(added(earlier)).eq(sumOf(0))]).toEqual([true, true]);
      expect([short.below, sums.unreadable]).toEqual([{}, 0]);
    }),
    { numRuns: 40 },
  );
});

test('the fast path for new rows adds the same sums as the comparison computes from the rows', async () => {
  const amount = fc.oneof(
    fc.constantFrom('0', '0.00', '0.5', '', '?', '99999999.99', '100000000', '7.'),
    anyPlain,
    anyAmount,
  );
  const status = fc.oneof(
    fc.constantFrom('approved', '', '?', 'a|b', 'a\0b', '\ud800', 'é'.repeat(50), 'é'.repeat(51)),
    fc.string(),
  );
  const record = fc.record({ total_limit: amount, available_limit: amount, status }, { requiredKeys: [] });
  const row = fc.record({ requested: fc.oneof(anyPlain, anyAmount), record: fc.option(record, { nil: undefined }) });
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 8 }), async (all) => {
      const { portfolios, rows } = openLedger();
      for (const [n, { requested, record: granted }] of all.entries()) {
        const [id, line] = [{ portfolio: 'q4', key: `row-${n}` }, n + 2];
        const request = makeRequest({ limit: { requested_limit: requested } });
        const of = { portfolio: 'q4', number: 'i', generation: 0, approval: undefined };
        const [isPlain] = await rows.putNew(of, [{ key: id.key, line, request, seen: n }]);
        if (!isPlain) await rows.put(id, line, 'i', request);
        await rows.begin(id, 'company');
        await rows.advance(id, 'company', 'limit', { company: 'company_1' });
        await rows.advance(id, 'limit', 'done', { limit: `bl_${n}`, ...(granted ? { record: granted } : {}) });
      }
      expect(await portfolios.compare(['q4'])).toEqual([]);
    }),
    { numRuns: 30 },
  );
});

const anyPlain = fc.stringMatching(/^[1-9]\d{0,7}(\.\d{1,2})?$/);
const digits = fc.stringMatching(/^\d{1,30}$/);
const anyAmount = fc
  .tuple(fc.constantFrom('', '-'), digits, fc.option(digits), fc.option(fc.integer({ min: -9, max: 40 })))
  .map(([sign, whole, decimals, exponent]) =>
    [sign, whole, decimals === null ? '' : `.${decimals}`, exponent === null ? '' : `e${exponent}`].join(''),
  );
