import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CallKind } from '../../../src/call-kind.ts';
import { type Claim, makeAtMostOnce } from '../../../src/ledger/calls/at-most-once.ts';
import { makeAttempts } from '../../../src/ledger/calls/attempts.ts';
import { type Batcher, batcherOf, makeGathered } from '../../../src/ledger/calls/batches.ts';
import { makeCalls } from '../../../src/ledger/calls/calls.ts';
import { makePortfolios } from '../../../src/ledger/portfolios/portfolios.ts';
import { makeRows } from '../../../src/ledger/rows/rows.ts';
import { makeKeys } from '../../../src/ledger/schema/keys.ts';
import { isStep, type RowState, STEPS, type Step } from '../../../src/ledger/schema/row.ts';
import { makeRetryUntilAnswered } from '../../../src/ledger/schema/until-answered.ts';
import { makeSilentLog } from '../../../src/log.ts';
import { referenceOf } from '../../../src/portfolio/identity/identity.ts';
import { connectRedis, freshPrefix, makeRequest } from '../../support/ledger.ts';
import { pictureOf } from '../../support/redis-picture.ts';

/** One row, and what is unusual about it. */
type Line = { amount: string; granted: string; status: string; shared: boolean; documents: number };

/** What happened to a portfolio before its rows were sent. */
type Before = 'nothing' | 'paused' | 'cancelled' | 'refused once' | 'no canary' | 'not searched' | 'importing';

const line: fc.Arbitrary<Line> = fc.record({
  amount: fc.constantFrom('1000', '250.5', '0.1', '12345678.905', '90071992547409.93'),
  granted: fc.constantFrom('1000', '0', '10.25', '', '1e3'),
  status: fc.constantFrom('approved', 'declined', '', 'x'.repeat(60), 'half \ud800'),
  shared: fc.boolean(),
  documents: fc.integer({ min: 0, max: 2 }),
});
const before = fc.constantFrom<Before>(
  'nothing',
  'nothing',
  'nothing',
  'paused',
  'cancelled',
  'refused once',
  'no canary',
  'not searched',
  'importing',
);

/** A ledger of its own whose rows are moved in batches, or one by one. */
function openLedger(moves: 'together' | 'one by one', isSearched: boolean) {
  const connection = connectRedis();
  const keys = makeKeys(freshPrefix(), 'https://test.example');
  const retryUntilAnswered = makeRetryUntilAnswered({ log: makeSilentLog(), signal: new AbortController().signal });
  const served: unknown[] = [];
  const take: Batcher = async (...moves) => {
    for (;;) {
      const answer = await batcherOf(connection, keys)(...moves);
      served.push(answer);
      if (!ledger.repeats) return answer;
      ledger.repeats = false;
    }
  };
  const alone: Batcher = async (row, first, ...behind) => {
    const answer = await batcherOf(connection, keys)(row, ...(first ? [first] : []));
    return behind.length > 0 ? [0, answer] : answer;
  };
  const how = { connection, keys, retryUntilAnswered, runInBatch: moves === 'together' ? take : alone };
  const calls = makeCalls(how);
  const attempts = makeAttempts({ processId: 'ann', log: makeSilentLog() });
  const ledger = {
    connection,
    keys,
    served,
    /** Whether the next batch runs twice, as after a connection that was lost before the answer. */
    repeats: false,
    portfolios: makePortfolios({ connection, keys, isSearched }),
    rows: makeRows({ ...how, canaryRefusals: 3, isSearched, referenceOf }),
    atMostOnce: makeAtMostOnce({ calls, attempts }),
  };
  return ledger;
}

type Ledger = ReturnType<typeof openLedger>;

/** Imports the rows, takes each through its steps, all together, and returns the answers of each. */
async function goThrough(ledger: Ledger, lines: readonly Line[], how: Before) {
  const { rows, portfolios, connection, keys } = ledger;
  const run = await portfolios.startImport('q4', { id: 'i', fileName: 'f.csv', reading: '{}' });
  for (const [place, each] of lines.entries()) {
    const request = makeRequest({
      buyer: each.shared ? 'shared' : `buyer-${place}`,
      limit: { requested_limit: each.amount },
      documents: Array.from({ length: each.documents }, (_, n) => {
        return { name: `${n}.pdf`, mediaType: 'application/pdf', sizeBytes: 1, sha256: `${place}${n}` };
      }),
    });
    await rows.put({ portfolio: 'q4', key: `row-${place}` }, place + 2, 'i', request);
  }
  if (how !== 'importing') await run.end();
  if (how !== 'no canary') {
    const seen = ['company', 'documents', 'limit'].flatMap((step) => [`canary:${step}`, 'ok']);
    await connection.hset(keys.portfolio('q4'), ...seen);
  }
  if (how === 'refused once') {
    await rows.begin({ portfolio: 'q4', key: 'row-0' }, 'company');
    const problem = { step: 'company', message: 'no', status: 422, body: 'no' } as const;
    await rows.advance({ portfolio: 'q4', key: 'row-0' }, 'company', 'refused', { problem });
  }
  if (how === 'paused') await portfolios.pause('q4', 'a test');
  if (how === 'cancelled') await portfolios.cancel('q4');
  // Rows that share a buyer run one after another, since the first is answered "go" and the others something else.
  const together = Promise.all(lines.map((each, place) => (each.shared ? [] : goOn(ledger, `row-${place}`, each))));
  const said: unknown[] = [await together];
  for (const [place, each] of lines.entries()) if (each.shared) said.push(await goOn(ledger, `row-${place}`, each));
  return { said, end: run.end };
}

/** A row's steps as the jobs run them: begin, claim, settle, and on to a next call that may be claimed already. */
async function goOn({ rows, atMostOnce }: Ledger, key: string, each: Line): Promise<unknown[]> {
  const row = { portfolio: 'q4', key };
  const said: unknown[] = [];
  let prepared: Claim | undefined;
  for (const step of STEPS) {
    const found = await rows.begin(row, step);
    if (found?.state !== step) {
      said.push(found);
      continue;
    }
    const thing = thingOf(step, key, found);
    const claim = prepared ?? (await atMostOnce.claim(thing, 'hold'));
    prepared = undefined;
    said.push(claim.is);
    if (claim.is !== 'go') continue;
    const id = `${step}_${thing.key}`;
    const record = { status: each.status, total_limit: each.granted, available_limit: each.granted };
    const to: RowState = step === 'limit' ? 'done' : step === 'company' && each.documents > 0 ? 'documents' : 'limit';
    const brought = { company: { company: id }, documents: { documents: [id] }, limit: { limit: id, record } }[step];
    const move = { ...brought, answered: true, revision: found.revision };
    const next = isStep(to) ? thingOf(to, key, found) : undefined;
    const ended = await claim.settle(
      { is: 'made', id, record: step === 'limit' ? record : {} },
      { moving: rows.moving(step, to, move), next, onUnknown: 'hold' },
    );
    if ('moved' in ended) prepared = ended.moved.claim;
    said.push('moved' in ended ? to : await rows.advance(row, step, to, move));
  }
  return said;
}

function thingOf(step: Step, key: string, { request, revision }: { request: { buyer: string }; revision: string }) {
  const kind: CallKind = step === 'documents' ? 'document' : step;
  const of = { company: request.buyer, documents: `document-of-${key}`, limit: key }[step];
  return { kind, key: of, row: { portfolio: 'q4', key }, revision, buyer: request.buyer, sent: `${kind} ${of}` };
}

/** What Redis holds, without times, random names and owners of claims. */
async function picture({ connection, keys }: Ledger): Promise<unknown> {
  const found = await pictureOf(connection, keys.account.replace(/[^:]*$/, ''));
  const text = JSON.stringify(found)
    .replace(/\b1\d{12}(\+\d+)?/g, 'T')
    .replaceAll(/ann\/\d+/g, 'ann')
    .replaceAll(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, 'uuid');
  const kept = JSON.parse(text);
  // The order of values with a time depends on the millisecond.
  for (const list of Object.values(kept)) if (Array.isArray(list) && list.includes('T')) list.sort();
  return kept;
}

test('rows moved in a batch leave the same data in Redis as rows moved one by one', async () => {
  let plain = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 6 }), before, async (lines, how) => {
      const isSearched = how !== 'not searched';
      const [together, alone] = [openLedger('together', isSearched), openLedger('one by one', isSearched)];
      const said = await Promise.all([goThrough(together, lines, how), goThrough(alone, lines, how)]);
      expect(said[0].said).toEqual(said[1].said);
      expect(await picture(together)).toEqual(await picture(alone));
      await Promise.all(said.map(({ end }) => end()));
      plain += together.served.filter((answer) => Array.isArray(answer) && answer[0] > 1).length;
    }),
    {
      numRuns: 25,
      examples: [[[{ amount: '1000', granted: '10', status: 'approved', shared: false, documents: 1 }], 'nothing']],
    },
  );
  // Otherwise both sides of the comparison would be moved one by one.
  expect(plain).toBeGreaterThan(10);
});

test("the next call's claim is released when the connection repeats the batch that settled the call before it", async () => {
  const ledger = openLedger('together', true);
  const { rows, connection, keys } = ledger;
  const row = { portfolio: 'q4', key: 'row-0' };
  await ledger.portfolios.startImport('q4', { id: 'i', fileName: 'f.csv', reading: '{}' });
  await rows.put(row, 2, 'i', makeRequest({ buyer: 'buyer-0' }));
  await connection.hset(keys.portfolio('q4'), 'canary:company', 'ok');
  const found = await rows.begin(row, 'company');
  if (!found) throw new Error('there is no such row');
  const claim = await ledger.atMostOnce.claim(thingOf('company', row.key, found), 'hold');
  if (claim.is !== 'go') throw new Error(`not claimed: ${claim.is}`);
  const moving = rows.moving('company', 'limit', { company: 'company_1', answered: true, revision: found.revision });
  ledger.repeats = true;
  await claim.settle(
    { is: 'made', id: 'company_1', record: {} },
    { moving, next: thingOf('limit', row.key, found), onUnknown: 'hold' },
  );
  // A settlement that ran twice reports that the outcome may have been unknown. Then the next claim is released.
  const settled = [0, ['company_1', 1]];
  expect(ledger.served.slice(-3)).toEqual([[3, ['go', 'ann/2']], settled, ['back', 0, 0]]);
  expect(await connection.hget(keys.call('limit', row.key), 'state')).toBe('free');
});

test('a full second batch is sent before the first is answered if two may be under way', async () => {
  const sent: number[][] = [];
  const answers: (() => void)[] = [];
  const run = async (items: readonly number[]) => {
    sent.push([...items]);
    await new Promise<void>((answered) => void answers.push(answered));
    return items.map((item) => -item);
  };
  const take = makeGathered(run, 2, 2);
  const all = Promise.all([1, 2, 3, 4, 5].map(take));
  await expect
    .poll(() => sent)
    .toEqual([
      [1, 2],
      [3, 4],
    ]);
  const late = take(6);
  answers[1]?.();
  await expect.poll(() => sent[2]).toEqual([5, 6]);
  answers[0]?.();
  answers[2]?.();
  expect([...(await all), await late]).toEqual([-1, -2, -3, -4, -5, -6]);
});

test('a full batch is sent while an earlier one is under way, and a partial one waits', async () => {
  const sent: number[] = [];
  const first = Promise.withResolvers<void>();
  const run = async (items: readonly number[]) => {
    sent.push(items.length);
    if (sent.length === 1) await first.promise;
    return items;
  };
  const take = makeGathered(run, 3, 2);
  const alone = take(0);
  await expect.poll(() => sent).toEqual([1]);
  const others = [1, 2, 3].map(take);
  await expect.poll(() => sent).toEqual([1, 3]);
  first.resolve();
  expect(await Promise.all([alone, ...others])).toEqual([0, 1, 2, 3]);
});
