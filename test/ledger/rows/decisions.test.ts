import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openFinishedPortfolio } from '../../support/finished-portfolio.ts';

const told = { by: 'anna', file: 'later.csv' };

test('in whatever order decisions come, and however often, the latest one counts', async () => {
  const { context } = await openFinishedPortfolio(1);
  const { decisions, rows, portfolios, stories } = context;
  const limit = 'bl_q41';
  const { rows: [row] = [] } = (await decisions.rowsOf(limit)) ?? {};
  if (!row) throw new Error('no row');
  const asked = {
    status: fc.constantFrom('approved', 'declined', 'in_progress'),
    total: fc.constantFrom('', '0', '999', '1001.5'),
  };
  const day = fc.integer({ min: 1, max: 28 }).map((n) => String(n).padStart(2, '0'));
  const word = fc.record({ ...asked, available: fc.constant(''), day });
  let year = 2000;
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(word, { minLength: 1, maxLength: 6, selector: (one) => one.day }),
      async (words) => {
        // Each case is later than all of the case before.
        year += 1;
        const said = words.map(({ day: of, ...one }) => ({ ...one, limit, at: `${year}-01-${of}T00:00:00.000Z` }));
        await Promise.all([...said, ...said].map((one) => decisions.decide(row, one, told)));
        const last = said.reduce((late, one) => (one.at > late.at ? one : late));
        const [now] = await rows.read([row]);
        expect(now?.record).toEqual({
          status: last.status,
          ...(last.total === '' ? {} : { total_limit: last.total }),
          decided_at: last.at,
        });
        const { statuses, sums } = await portfolios.read('q4');
        expect([statuses, sums.granted]).toEqual([
          { [last.status]: 1 },
          last.total === '' ? '0.00' : Number(last.total).toFixed(2),
        ]);
      },
    ),
    { numRuns: 25 },
  );
  const [first, ...others] = await stories.entries(row);
  expect(first).toMatchObject({ is: 'decided', by: 'anna', file: 'later.csv' });
  expect(others.length).toBeGreaterThan(0);
  // What an import copies from the call is the latest, too.
  const [call] = await stories.calls([{ kind: 'limit', key: row.key }]);
  const [now] = await rows.read([row]);
  expect(call).toMatchObject({ id: limit, record: now?.record });
});

test('nothing is decided of a row whose limit is another one, or is not made', async () => {
  const { context } = await openFinishedPortfolio(3);
  const word = { limit: 'bl_other', status: 'declined', total: '', available: '', at: '2026-11-02T00:00:00.000Z' };
  for (const state of ['done', 'refused'] as const) {
    const [one] = await context.rows.inState('q4', state, { count: 1 });
    if (!one) throw new Error(`no row is ${state}`);
    const [before] = await context.rows.read([one.row]);
    expect(await context.decisions.decide(one.row, word, told)).toBe('not made');
    expect(await context.rows.read([one.row])).toEqual([before]);
  }
});
