import { expect, test } from 'vitest';
import type { FaultChange } from '../../src/stand-in/fault-settings.ts';
import { startCuttingProxy } from '../support/cutting-proxy.ts';
import { openFaultPlace, rowsIn } from '../support/fault-place.ts';
import { buyerLines, makeKeptLog } from '../support/workplace.ts';

type Rule = NonNullable<FaultChange['rules']>[number];
/** A rule without its choice of calls. */
type Fault = DistributiveOmit<Rule, 'on'>;
type DistributiveOmit<T, K extends keyof T> = T extends T ? Omit<T, K> : never;
/** Longer than any answer of the stand-in on a busy machine, and short otherwise. */
const TIMEOUT_MS = '2000';

/** Every fault that makes an outcome unknown, and the reason in the problem of the held row. */
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

// For companies: test/service/client.test.ts. An unknown outcome holds the row at every step.
test('every fault that loses the answer to a limit holds its row only, with the reason', async () => {
  const bodyOf = (n: number) => `"company_registration_number":"HRB ${n}"`;
  // Odd buyers meet the faults in turn. The successes of the others between them keep the breaker from tripping.
  const rules = DOUBTS.map(
    ([fault], place) => ({ ...fault, on: 'limit', match: bodyOf(2 * place + 1), times: 1 }) as Rule,
  );
  const rows = 2 * DOUBTS.length;
  const place = await openFaultPlace({ faults: { rules }, env: { SERVICE_TIMEOUT_MS: TIMEOUT_MS } });
  await place.import(buyerLines(rows));
  await place.work();
  const { states } = await place.judged(rows);
  expect(states).toMatchObject({ held: DOUBTS.length, done: DOUBTS.length });
  const held = await rowsIn(place, 'held');
  expect(held.map(({ step }) => step)).toEqual(DOUBTS.map(() => 'limit'));
  for (const [index, [, heard]] of DOUBTS.entries()) expect(held[index]?.problem?.message).toMatch(heard);

  await place.resolveHeld();
  expect((await place.judged(rows)).states.done).toBe(rows);
});

/** The number of log lines that report waiting calls. */
const waits = (lines: { msg: string }[]) => lines.filter(({ msg }) => msg.startsWith('calls wait')).length;

// Promises: outage-refuses-no-row, outage-refuses-nothing
test('an outage that is longer than every backoff refuses no row, with status 503 as well as refused connections', async () => {
  // In parallel, because most of the time is spent waiting.
  await Promise.all((['503', 'refuse'] as const).map(outlast));
});

async function outlast(how: '503' | 'refuse'): Promise<void> {
  const place = await openFaultPlace({
    faults: { latencyMs: 20 },
    env: { SERVICE_CONCURRENCY: '8', SERVICE_NOT_MADE: '503' },
  });
  await place.import(buyerLines(30));
  const { log, lines } = makeKeptLog();
  await place.work(undefined, {}, log);
  await expect.poll(place.madeCount).toBeGreaterThanOrEqual(10);
  await place.standIn.setFaults({ outage: { how } });
  // Each wait is logged. By the fifth, the backoff has reached its maximum.
  await expect.poll(() => waits(lines)).toBeGreaterThanOrEqual(5);
  const { states } = await place.report();
  expect(states.refused).toBe(0);

  const made = place.madeCount();
  await place.standIn.setFaults({ outage: null });
  const backAt = performance.now();
  await expect.poll(place.madeCount).toBeGreaterThan(made);
  // At most four seconds lie between two tries (test/pace/pace.test.ts); the rest is for a busy machine.
  expect(performance.now() - backAt).toBeLessThan(20_000);
  // Only calls that were in flight when the port was closed may be in doubt.
  expect((await place.judged(30)).states.held).toBe(states.held);
  await place.resolveHeld();
  await place.work();
  expect((await place.judged(30)).states.done).toBe(30);
}

test('broken connections to the service refuse no row, and calls in flight are held', async () => {
  const place = await openFaultPlace({ faults: { latencyMs: [10, 60] }, env: { SERVICE_CONCURRENCY: '4' } });
  const proxy = await startCuttingProxy(Number(new URL(place.standIn.url()).port));
  await place.import(buyerLines(60));
  const { log, lines } = makeKeptLog();
  await place.work(undefined, { SERVICE_URL: `http://127.0.0.1:${proxy.port}` }, log);
  await expect.poll(place.madeCount).toBeGreaterThanOrEqual(15);
  proxy.cutReplies();
  await expect.poll(place.madeCount).toBeGreaterThanOrEqual(50);
  proxy.refuse(true);
  await expect.poll(() => waits(lines)).toBeGreaterThan(0);
  proxy.refuse(false);
  // Calls in flight at the cut are held.
  const { states } = await place.judged(60);
  expect(states.done + states.held).toBe(60);
  expect(states.held).toBeGreaterThan(0);
  await place.resolveHeld();
  expect((await place.judged(60)).states.done).toBe(60);
});

test('rows stay queued when the service has no known host or no TLS', async () => {
  const place = await openFaultPlace();
  await place.import(buyerLines(5));
  const urls = ['http://no-such-host.invalid', place.standIn.url().replace('http:', 'https:')];
  for (const SERVICE_URL of urls) {
    const { log, lines } = makeKeptLog();
    const workers = await place.work(undefined, { SERVICE_URL }, log);
    await expect.poll(() => waits(lines)).toBeGreaterThan(0);
    await workers.stop();
  }
  const { states } = await place.report();
  expect(states.queued + states.company).toBe(5);
  await place.work();
  expect((await place.judged(5)).states.done).toBe(5);
});
