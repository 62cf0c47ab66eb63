import { describe, expect, test } from 'vitest';
import { approvalNotice, portfolioNotice } from '../../../jobs/notices/portfolio-notices.ts';
import type { Cause } from '../../../src/ledger/counts/cause.ts';
import type { PortfolioState } from '../../../src/ledger/portfolios/portfolio.ts';
import { makePortfolios } from '../../../src/ledger/portfolios/portfolios.ts';
import type { Approval, ApprovalKind } from '../../../src/ledger/schema/approval.ts';
import type { Meanings } from '../../../src/status-meaning.ts';
import { openLedger } from '../../support/ledger.ts';

const nowMs = 1_763_802_000_000;
const NONE: Meanings = new Map();

/** The state of an empty portfolio, with these changes. */
async function stateOf(name: string, changes: Partial<PortfolioState> = {}): Promise<PortfolioState> {
  const state = await makePortfolios(openLedger()).read(name);
  return { ...state, ...changes, states: { ...state.states, ...changes.states } };
}

const cause = (changes: Partial<Cause>): Cause => {
  return {
    id: 'k3f9',
    step: 'limit',
    meaning: 'refused',
    status: 400,
    words: 'secret',
    rows: 1,
    sum: '1.00',
    ...changes,
  };
};

describe('the notice of a portfolio', () => {
  test('without rows gives the number of lines that led to none', async () => {
    const state = await stateOf('q4', { invalid: 1_200, duplicate: 3 });
    expect(portfolioNotice({ is: 'settled', atMs: 7 }, { state, causes: [], meanings: NONE, nowMs })).toEqual({
      kind: 'settled',
      title: 'Portfolio q4 has settled: no rows',
      facts: [{ term: 'Lines without a row', what: '1,200 invalid, 3 duplicate' }],
      path: '/portfolios/q4',
      atMs: 7,
    });
  });

  test('reports that no company was made for its supplier, when it settles and when it pauses', async () => {
    const state = await stateOf('q4', { supplier: { problem: 'secret' } });
    const told = { state, causes: [], meanings: NONE, nowMs };
    for (const news of [
      { is: 'settled', atMs: 7 },
      { is: 'paused', why: { is: 'not ours' } },
    ] as const) {
      const { facts } = portfolioNotice(news, told);
      expect(facts).toContainEqual({ term: 'Supplier', what: expect.stringContaining('no company was made for it') });
      expect(JSON.stringify(facts)).not.toContain('secret');
    }
  });

  test('with held rows has a title about needed answers instead of its end', async () => {
    const state = await stateOf('q4');
    const held = { ...state, states: { ...state.states, done: 5, held: 2 } };
    const { title, facts } = portfolioNotice(
      { is: 'settled', atMs: 7 },
      { state: held, causes: [], meanings: NONE, nowMs },
    );
    expect(title).toBe('Portfolio q4 needs an answer: 5 answered, 2 in need of an answer');
    expect(facts.map(({ term }) => term)).toEqual(['Requested', 'Granted', 'Sum that needs an answer']);
  });

  test.each([
    [['EUR', 'CHF'], 'The files name several currencies (EUR, CHF); the sums add all amounts as they are.'],
    [['EUR', ''], 'Some files name EUR, and some no currency; the sums add all amounts as they are.'],
    [['EUR'], undefined],
    [[''], undefined],
  ])('says what its sums add up where the files name %j', async (currencies, what) => {
    const state = await stateOf('q4', { currencies });
    const done = { ...state, states: { ...state.states, done: 1 } };
    const { facts } = portfolioNotice({ is: 'settled', atMs: 7 }, { state: done, causes: [], meanings: NONE, nowMs });
    expect(facts.find(({ term }) => term === 'Currencies')?.what).toBe(what);
  });

  test('shows the currency of its sums if all files name one', async () => {
    const state = await stateOf('q4', { currencies: ['EUR'] });
    const done = { ...state, states: { ...state.states, done: 5 } };
    const whatOf = (told: PortfolioState) =>
      portfolioNotice({ is: 'settled', atMs: 7 }, { state: told, causes: [], meanings: NONE, nowMs }).facts[0]?.what;
    expect(whatOf(done)).toBe('EUR 0.00');
    expect(whatOf({ ...done, currencies: ['EUR', ''] })).toBe('0.00');
  });

  test('links to its page, whatever its name is', async () => {
    const state = await stateOf('a/b ?c&d#e');
    const paths = (['settled', 'failures'] as const).map((is) => {
      const news = is === 'settled' ? { is, atMs: 7 } : { is, failed: 1, ended: 30 };
      return portfolioNotice(news, { state, causes: [], meanings: NONE, nowMs }).path;
    });
    expect(paths).toEqual([
      '/portfolios/a%2Fb%20%3Fc%26d%23e',
      '/portfolios/a%2Fb%20%3Fc%26d%23e?states=refused%2Cheld#rows',
    ]);
  });

  test('groups failed rows by step and status, most rows first, in at most six lines', async () => {
    const causes = [
      cause({ rows: 2, words: 'one' }),
      cause({ rows: 1_000, words: 'another' }),
      cause({ rows: 7, step: 'company', status: null, meaning: 'unknown' }),
      cause({ rows: 6, status: 401 }),
      cause({ rows: 5, meaning: 'put off', status: 503 }),
      cause({ rows: 4, meaning: 'other', status: null }),
      cause({ rows: 3, meaning: 'ours', status: null }),
      cause({ rows: 1, status: 404 }),
    ];
    const state = await stateOf('q4');
    const { facts } = portfolioNotice(
      { is: 'failures', failed: 1_028, ended: 9_999 },
      { state, causes, meanings: NONE, nowMs },
    );
    expect(facts.filter(({ term }) => term === 'Failed').map(({ what }) => what)).toEqual([
      '1,002 rows: refused by the service at the step limit (status 400)',
      '7 rows: nobody knows what became of the call at the step company',
      '6 rows: refused by the service at the step limit (status 401)',
      '5 rows: put off again and again at the step limit (status 503)',
      '4 rows: made before for another line at the step limit',
      '4 rows: for other causes',
    ]);
  });

  test.each([
    [{ is: 'first rows' as const }, 'the rows that were to go first have ended', '/portfolios/q4'],
    [
      { is: 'refused alike' as const, step: 'limit', status: 403 },
      'the first answers at the step limit were all refused with status 403',
      '/portfolios/q4?states=refused%2Cheld#rows',
    ],
  ])('that paused itself gives the reason: %j', async (why, words, path) => {
    const notice = portfolioNotice(
      { is: 'paused', why },
      { state: await stateOf('q4'), causes: [], meanings: NONE, nowMs },
    );
    expect(notice).toMatchObject({ kind: 'paused', title: `Portfolio q4 paused itself: ${words}`, path, atMs: nowMs });
  });

  test.each<[ApprovalKind, string]>([
    ['import', 'the rows of an import'],
    ['retry', 'refused rows, to be sent again'],
    ['answer', 'answers to held rows'],
  ])('that awaits approval gives rows and sum, and no person: %s', (kind, what) => {
    const approval: Approval = {
      id: 'ab12',
      portfolio: 'q4',
      kind,
      standing: 'waiting',
      authors: ['anna'],
      askedMs: 5,
      file: { name: 'anna.csv', sha256: '', reading: '' },
      importId: '1',
      rows: 1,
      sum: '1234567.5',
      atFirst: undefined,
      digest: '',
      answered: undefined,
    };
    const notice = approvalNotice(approval, 'EUR');
    expect(notice.title).toBe('Portfolio q4 awaits approval: 1 row, EUR 1,234,567.50 to be requested');
    expect(approvalNotice(approval, undefined).facts.at(-1)?.what).toBe('1,234,567.50');
    expect(notice.facts[0]).toEqual({ term: 'What', what });
    expect(notice).toMatchObject({ kind: 'awaiting', path: '/approvals/ab12', atMs: 5 });
    expect(JSON.stringify(notice)).not.toContain('anna');
  });
});
