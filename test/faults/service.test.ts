import { expect, test } from 'vitest';
import { lookAtPace } from '../../src/context.ts';
import type { RowResult } from '../../src/ledger/rows.ts';
import type { FaultChange } from '../../src/sandbox/fault-settings.ts';
import { buyerLines } from '../support/workplace.ts';
import { startCuttingProxy } from './cutting-proxy.ts';
import { type FaultPlace, openFaultPlace } from './fault-place.ts';

type Rule = NonNullable<FaultChange['rules']>[number];
/** A rule less what says which calls it hits. */
type Fault = DistributiveOmit<Rule, 'on'>;
type DistributiveOmit<T, K extends keyof T> = T extends T ? Omit<T, K> : never;
/** Longer than any answer of the stand-in takes on a busy machine, and soon over where there is none. */
const TIMEOUT_MS = '2000';

/** Every fault by which the outcome of a call cannot be known, and what the held row says that was heard. */
const DOUBTS = [
  [{ fault: 'reset', made: true }, /ECONNRESET|other side closed/],
  [{ fault: 'reset', made: false }, /ECONNRESET|other side closed/],
  [{ fault: 'reset', by: 'fin', made: true }, /other side closed/],
  [{ fault: 'silence', made: true }, /no whole answer within/],
  [{ fault: 'silence', made: false }, /no whole answer within/],
  [{ fault: 'slow', bytesPerS: 0 }, /no whole answer within .* after status 201/],
  [{ fault: 'broken', body: 'cut' }, /after status 201/],
  [{ fault: 'broken', body: 'empty' }, /status 201, but/],
  [{ fault: 'broken', body: 'half-json' }, /status 201, but/],
  [{ fault: 'broken', body: 'not-json' }, /status 201, but/],
  [{ fault: 'answer', drop: ['id'] }, /status 201, but/],
  [{ fault: 'answer', set: { id: 'x_1' } }, /status 201, but/],
  [{ fault: 'not-http', made: true }, /Expected HTTP/],
  [{ fault: 'status', status: 500, made: true }, /status 500/],
  [{ fault: 'status', status: 502, made: true }, /status 502/],
  [{ fault: 'status', status: 408, made: true }, /status 408/],
] satisfies [Fault, RegExp][];

test.each([
  ['company', (n: number) => `"name":"Buyer ${n} GmbH"`],
  ['limit', (n: number) => `"company_registration_number":"HRB ${n}"`],
] as const)('every way to lose the answer to a %s holds its row, and no other', async (on, bodyOf) => {
  // The first buyer meets the first fault, the third the second, and so on: those between keep the door open.
  const rules = DOUBTS.map(([fault], place) => ({ ...fault, on, match: bodyOf(2 * place + 1), times: 1 }) as Rule);
  const rows = 2 * DOUBTS.length;
  const place = await openFaultPlace({ faults: { rules }, env: { SERVICE_TIMEOUT_MS: TIMEOUT_MS } });
  await place.import(buyerLines(rows));
  await place.work();
  const { states } = await place.judged(rows);
  expect(states).toMatchObject({ held: DOUBTS.length, done: DOUBTS.length });
  const held = await rowsIn(place, 'held');
  expect(held.map(({ step }) => step)).toEqual(DOUBTS.map(() => on));
  for (const [index, [, heard]] of DOUBTS.entries()) expect(held[index]?.problem?.message).toMatch(heard);

  await place.resolveHeld();
  expect((await place.judged(rows)).states.done).toBe(rows);
});

test.each(['503', 'refuse'] as const)('an outage (%s) that outlasts every back-off fails no row', async (how) => {
  const place = await openFaultPlace({
    faults: { latencyMs: 20 },
    env: { SERVICE_CONCURRENCY: '8', LOG_LEVEL: 'warn', SERVICE_NOT_MADE: '503' },
  });
  await place.import(buyerLines(60));
  const worker = place.startWorker();
  await expect.poll(place.madeCount).toBeGreaterThanOrEqual(20);
  await place.standIn.setFaults({ outage: { how } });
  // Each is said, and by then the wait between two tries has grown to its longest.
  await expect.poll(() => worker.output().stderr.match(/the line waits/g)?.length).toBeGreaterThanOrEqual(5);
  const { states } = await place.report();
  expect(states.refused).toBe(0);

  const made = place.madeCount();
  await place.standIn.setFaults({ outage: null });
  const backAt = performance.now();
  await expect.poll(place.madeCount).toBeGreaterThan(made);
  // 5 s are promised; the rest is for a busy machine.
  expect(performance.now() - backAt).toBeLessThan(8_000);
  // Only what was on its way when the port was closed may be in doubt.
  expect((await place.judged(60)).states.held).toBe(states.held);
  await place.resolveHeld();
  await place.work();
  expect((await place.judged(60)).states.done).toBe(60);
});

test('connections to the service reset at accept, and cut where the answer should come back', async () => {
  const place = await openFaultPlace({
    faults: { latencyMs: [10, 60] },
    env: { SERVICE_CONCURRENCY: '4', LOG_LEVEL: 'warn' },
  });
  const proxy = await startCuttingProxy(Number(new URL(place.standIn.url()).port));
  await place.import(buyerLines(60));
  const worker = place.startWorker({ SERVICE_URL: `http://127.0.0.1:${proxy.port}` });
  await expect.poll(place.madeCount).toBeGreaterThanOrEqual(15);
  proxy.cutReplies();
  await expect.poll(place.madeCount).toBeGreaterThanOrEqual(50);
  proxy.refuse(true);
  await expect.poll(() => worker.output().stderr).toContain('the line waits');
  proxy.refuse(false);
  // What was on its way when a connection was cut is held, and nothing is refused.
  const { states } = await place.judged(60);
  expect(states.done + states.held).toBe(60);
  expect(states.held).toBeGreaterThan(0);
  await place.resolveHeld();
  expect((await place.judged(60)).states.done).toBe(60);
});

test('a service that cannot be found, or speaks no TLS, leaves every row where it is', async () => {
  const place = await openFaultPlace({ env: { LOG_LEVEL: 'warn' } });
  await place.import(buyerLines(5));
  const urls = ['http://no-such-host.invalid', 'http://127.0.0.1:1', place.standIn.url().replace('http:', 'https:')];
  for (const SERVICE_URL of urls) {
    const worker = place.startWorker({ SERVICE_URL });
    await expect.poll(() => worker.output().stderr).toContain('the line waits');
    worker.child.kill('SIGTERM');
    expect(await worker.ended).toMatchObject({ status: 0 });
  }
  const { states } = await place.report();
  expect(states.queued + states.company).toBe(5);
  await place.work();
  expect((await place.judged(5)).states.done).toBe(5);
});

test('a token that dies early, again and again, costs no row and no second making', async () => {
  const place = await openFaultPlace({
    faults: { latencyMs: [5, 30], tokens: { diesAfterCalls: 25 } },
    env: { SERVICE_CONCURRENCY: '4' },
  });
  await place.import(buyerLines(60));
  await Promise.all([place.work(), place.work()]);
  expect((await place.judged(60)).states.done).toBe(60);
  expect(place.standIn.counts().requests.token[200]).toBeGreaterThanOrEqual(5);
});

test.each<[string, Rule]>([
  ['at the token endpoint', { on: 'token', fault: 'status', status: 401 }],
  ['at the calls', { on: 'company', fault: 'status', status: 401 }],
])('wrong credentials %s stop the line, fail no row, and are forgotten when they are right', async (_where, rule) => {
  const place = await openFaultPlace({ faults: { rules: [rule] } });
  await place.import(buyerLines(20));
  const lineFaults: string[] = [];
  await place.work((fault) => lineFaults.push(fault.message));
  await expect.poll(() => lineFaults.at(-1)).toMatch(/SERVICE_CLIENT_ID/);
  const { states } = await place.report();
  expect(states.queued + states.company).toBe(20);
  expect(place.madeCount()).toBe(0);

  await place.standIn.setFaults({ rules: [] });
  expect((await place.judged(20)).states.done).toBe(20);
});

test.each<[string, Rule]>([
  ['a page that is no JSON', { on: 'token', fault: 'broken', body: 'not-json' }],
  ['404', { on: 'token', fault: 'status', status: 404 }],
])('an outage in which the token call is answered by %s blames no setting', async (_page, rule) => {
  const place = await openFaultPlace({ faults: { latencyMs: 20 }, env: { SERVICE_CONCURRENCY: '8' } });
  await place.import(buyerLines(60));
  const lineFaults: string[] = [];
  await place.work((fault) => lineFaults.push(fault.message));
  await expect.poll(place.madeCount).toBeGreaterThanOrEqual(20);
  const lost = (['company', 'limit'] as const).map((on): Rule => ({ on, fault: 'status', status: 502 }));
  await place.standIn.setFaults({ rules: [rule, ...lost] });
  await expect.poll(() => place.standIn.faultHits()[0]).toBeGreaterThanOrEqual(2);
  await place.standIn.setFaults({ rules: [] });
  const { states } = await place.judged(60);
  expect(states.done + states.held).toBe(60);
  expect(lineFaults).toEqual([]);
});

test("a token endpoint's wish for a wait is kept", async () => {
  const rules: Rule[] = [{ on: 'token', fault: 'status', status: 429, headers: { 'retry-after': '3600' } }];
  const place = await openFaultPlace({ faults: { rules } });
  await place.import(buyerLines(20));
  await place.work();
  const waitsS = async () => (((await lookAtPace(place.context))?.blocked?.untilMs ?? 0) - Date.now()) / 1_000;
  await expect.poll(waitsS).toBeGreaterThan(3_500);
  expect(place.standIn.faultHits()).toEqual([1]);
});

test('one row that always gets 401 is refused for itself, and nobody waits for it', async () => {
  const rules: Rule[] = [{ on: 'company', match: 'Buyer 7 GmbH', fault: 'status', status: 401, body: 'not this one' }];
  const place = await openFaultPlace({ faults: { latencyMs: 20, rules }, env: { SERVICE_RATE_PER_S: '40' } });
  await place.import(buyerLines(60));
  const lineFaults: string[] = [];
  await place.work((fault) => lineFaults.push(fault.message));
  const { states } = await place.judged(60);
  expect(states).toMatchObject({ done: 59, refused: 1 });
  const [refused] = await rowsIn(place, 'refused');
  expect(refused).toMatchObject({ line: 8, step: 'company', problem: { status: 401, body: 'not this one' } });
  expect(lineFaults).toEqual([]);
});

test('the last row of all that always gets 401 is refused as well', async () => {
  const rules: Rule[] = [
    { on: 'limit', match: '"company_registration_number":"HRB 12"', fault: 'status', status: 401 },
  ];
  const place = await openFaultPlace({ faults: { rules }, env: { SERVICE_CONCURRENCY: '1' } });
  await place.import(buyerLines(12));
  const lineFaults: string[] = [];
  await place.work((fault) => lineFaults.push(fault.message));
  expect((await place.judged(12)).states).toMatchObject({ done: 11, refused: 1 });
  expect(lineFaults).toEqual([]);
});

test('one row that always gets 401 lets others of its worker go first, and is then refused for itself', async () => {
  const rules: Rule[] = [{ on: 'company', match: 'Buyer 4 GmbH', fault: 'status', status: 401 }];
  const place = await openFaultPlace({ faults: { latencyMs: 20, rules }, env: { SERVICE_CONCURRENCY: '1' } });
  await place.import(buyerLines(30));
  const lineFaults: string[] = [];
  await place.work((fault) => lineFaults.push(fault.message));
  expect((await place.judged(30)).states).toMatchObject({ done: 29, refused: 1 });
  expect((await rowsIn(place, 'refused')).map(({ line }) => line)).toEqual([5]);
  expect(lineFaults).toEqual([]);
});

test.each(['8', '1'])(
  'a client that is locked out in the middle refuses no row, and goes on when it is let in again (%s at once)',
  async (SERVICE_CONCURRENCY) => {
    const place = await openFaultPlace({ faults: { latencyMs: 50 }, env: { SERVICE_CONCURRENCY } });
    await place.import(buyerLines(60));
    const lineFaults: string[] = [];
    await place.work((fault) => lineFaults.push(fault.message));
    await expect.poll(place.madeCount).toBeGreaterThanOrEqual(30);
    await place.standIn.setFaults({
      rules: [
        { on: 'company', fault: 'status', status: 401 },
        { on: 'limit', fault: 'status', status: 401 },
      ],
    });
    await expect.poll(() => lineFaults.filter((fault) => fault.includes('just granted')).length).toBeGreaterThan(0);
    expect((await place.report()).states.refused).toBe(0);
    await place.standIn.setFaults({ rules: [] });
    expect((await place.judged(60)).states.done).toBe(60);
  },
);

test('a ceiling holds for calls that are repeated after a 401 as well', async () => {
  const place = await openFaultPlace({
    faults: { tokens: { diesAfterCalls: 4 } },
    env: { SERVICE_RATE_PER_S: '20', SERVICE_CONCURRENCY: '2' },
  });
  await place.import(buyerLines(12));
  await Promise.all([place.work(), place.work()]);
  expect((await place.judged(12)).states.done).toBe(12);
  expect(place.standIn.counts().requests.company[401]).toBeGreaterThan(0);
  expect(place.standIn.maxPerSecond()).toBeLessThanOrEqual(20);
});

test('a ceiling holds for calls that waited together for a token', async () => {
  const place = await openFaultPlace({
    // Some 100 bytes; nobody has a token for three seconds.
    faults: { tokens: { diesAfterCalls: 30 }, rules: [{ on: 'token', fault: 'slow', bytesPerS: 35 }] },
    env: { SERVICE_RATE_PER_S: '20' },
  });
  await place.import(buyerLines(40));
  await Promise.all([place.work(), place.work()]);
  expect((await place.judged(40)).states.done).toBe(40);
  expect(place.standIn.faultHits()[0]).toBeGreaterThan(1);
  expect(place.standIn.maxPerSecond()).toBeLessThanOrEqual(20);
});

async function rowsIn({ context }: FaultPlace, state: 'held' | 'refused'): Promise<RowResult[]> {
  const found = await context.rows.inState('q4', state, { count: 100 });
  return (await context.rows.read(found.map(({ row }) => row))).filter((row) => row !== undefined);
}
