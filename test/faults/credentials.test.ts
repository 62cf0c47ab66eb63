import { test as alone, expect } from 'vitest';
import { lookAtPace } from '../../src/open-service.ts';
import type { FaultChange } from '../../src/stand-in/fault-settings.ts';
import { openFaultPlace, rowsIn } from '../support/fault-place.ts';
import { testsBeside } from '../support/tests-beside.ts';
import { buyerLines } from '../support/workplace.ts';

type Rule = NonNullable<FaultChange['rules']>[number];

const test = testsBeside();

// Promise: short-tokens-refuse-none
test('wrong credentials stop all calls and refuse no row, and calls continue once they are right', async () => {
  // In parallel, because most of the time passes until the next try.
  await Promise.all((['token', 'company'] as const).map(goOnOnceRight));
});

async function goOnOnceRight(on: Rule['on']): Promise<void> {
  const rule: Rule = { on, fault: 'status', status: 401 };
  const place = await openFaultPlace({ faults: { rules: [rule] } });
  await place.import(buyerLines(20));
  const faultsTold: string[] = [];
  await place.work((fault) => faultsTold.push(fault.message));
  await expect.poll(() => faultsTold.at(-1)).toMatch(/SERVICE_CLIENT_ID/);
  const { states } = await place.report();
  expect(states.queued + states.company).toBe(20);
  expect(place.madeCount()).toBe(0);

  await place.standIn.setFaults({ rules: [] });
  expect((await place.judged(20)).states.done).toBe(20);
}

// Promise: fault-logged-once-a-minute
test('refused credentials make one log line while they last, and one when they are right again', async () => {
  const place = await openFaultPlace({ faults: { rules: [{ on: 'token', fault: 'status', status: 401 }] } });
  await place.import(buyerLines(6));
  const { output } = place.startWorker({ LOG_LEVEL: 'info' });
  // Long enough for some tries, and for one reading of the pace.
  await expect.poll(() => place.standIn.faultHits()[0], { timeout: 40_000 }).toBeGreaterThanOrEqual(3);
  const said = (words: string) =>
    output()
      .stderr.split('\n')
      .filter((line) => line.includes(words));
  expect(said('refuses the credentials')).toEqual([
    expect.stringMatching(/sends nothing until it is mended; start it again after a change of settings or secrets/),
  ]);
  await place.standIn.setFaults({ rules: [] });
  await place.judged(6);
  expect(said('is over: this process sends again')).toHaveLength(1);
});

// Promise: wrong-credentials-stop-no-other
test('a worker with a wrong secret leaves its rows to other workers and does not stop them', async () => {
  const place = await openFaultPlace({ env: { SERVICE_CONCURRENCY: '4', SERVICE_RATE_PER_S: '8' } });
  await place.import(buyerLines(50));
  await place.work();
  await expect.poll(place.madeCount).toBeGreaterThanOrEqual(10);
  const faults: string[] = [];
  await place.work(({ message }) => faults.push(message), { SERVICE_CLIENT_SECRET: 'not-the-secret' });
  await expect.poll(() => faults[0], { timeout: 20_000 }).toContain('SERVICE_CLIENT_SECRET');
  expect(place.madeCount()).toBeLessThan(80);
  expect((await place.judged(50)).states.done).toBe(50);
  expect(place.standIn.counts().requests.token[401]).toBeLessThan(10);
});

// Promise: gateway-page-waited-out
test('token answers that are no JSON report no fault of the settings during an outage', async () => {
  const rule: Rule = { on: 'token', fault: 'broken', body: 'not-json' };
  const place = await openFaultPlace({ faults: { latencyMs: 20 }, env: { SERVICE_CONCURRENCY: '8' } });
  await place.import(buyerLines(60));
  const faultsTold: string[] = [];
  await place.work((fault) => faultsTold.push(fault.message));
  await expect.poll(place.madeCount).toBeGreaterThanOrEqual(10);
  const lost = (['company', 'limit'] as const).map((on): Rule => ({ on, fault: 'status', status: 502 }));
  await place.standIn.setFaults({ rules: [rule, ...lost] });
  await expect.poll(() => place.standIn.faultHits()[0]).toBeGreaterThanOrEqual(2);
  await place.standIn.setFaults({ rules: [] });
  const { states } = await place.judged(60);
  expect(states.done + states.held).toBe(60);
  expect(faultsTold).toEqual([]);
});

test('Retry-After of a token answer is obeyed', async () => {
  const rules: Rule[] = [{ on: 'token', fault: 'status', status: 429, headers: { 'retry-after': '3600' } }];
  const place = await openFaultPlace({ faults: { rules } });
  await place.import(buyerLines(20));
  await place.work();
  const waitsS = async () => (((await lookAtPace(place.context))?.blocked?.untilMs ?? 0) - Date.now()) / 1_000;
  await expect.poll(waitsS).toBeGreaterThan(3_500);
  // A row that got its permit while the first answer was written down may have asked, too.
  expect(place.standIn.faultHits()[0]).toBeLessThanOrEqual(2);
});

// Promise: row-alone-unauthorized
test('a single row that always gets 401 is refused, and other rows continue', async () => {
  const rules: Rule[] = [{ on: 'company', match: 'Buyer 7 GmbH', fault: 'status', status: 401, body: 'not this one' }];
  // The row is refused only after others succeeded behind it, which one call at a time shows soonest.
  const place = await openFaultPlace({ faults: { latencyMs: 20, rules }, env: { SERVICE_CONCURRENCY: '1' } });
  await place.import(buyerLines(15));
  const faultsTold: string[] = [];
  await place.work((fault) => faultsTold.push(fault.message));
  const { states } = await place.judged(15);
  expect(states).toMatchObject({ done: 14, refused: 1 });
  const [refused] = await rowsIn(place, 'refused');
  expect(refused).toMatchObject({ line: 8, step: 'company', problem: { status: 401, body: 'not this one' } });
  expect(faultsTold).toEqual([]);
});

// Promise: short-tokens-refuse-none
alone('tokens that expire sooner than the next call may be sent refuse no row', async () => {
  const place = await openFaultPlace({
    faults: { tokens: { diesAfterS: 0.6 } },
    env: { SERVICE_RATE_PER_S: '1.2', SERVICE_CONCURRENCY: '1' },
  });
  await place.import(buyerLines(1));
  const faultsTold: string[] = [];
  await place.work((fault) => faultsTold.push(fault.message));
  expect((await place.settled()).states).toMatchObject({ done: 1, refused: 0 });
  expect(faultsTold).toEqual([]);
});

// Promise: last-unauthorized-not-refused
test('the last open row is not refused for its 401 until other rows succeed', async () => {
  const rules: Rule[] = [
    { on: 'limit', match: '"company_registration_number":"HRB 12"', fault: 'status', status: 401 },
  ];
  const place = await openFaultPlace({ faults: { rules }, env: { SERVICE_CONCURRENCY: '1' } });
  await place.import(buyerLines(12));
  const faultsTold: string[] = [];
  await place.work((fault) => faultsTold.push(fault.message));
  await expect.poll(() => faultsTold).toContainEqual(expect.stringContaining('just granted'));
  expect((await place.report()).states).toMatchObject({ done: 11, limit: 1, refused: 0 });
  // Other rows that succeed show that the fault is its own.
  await place.import(
    buyerLines(12).map((line) => line.replace('Buyer', 'Other').replace('HRB ', 'HRB 100')),
    { portfolio: 'q5' },
  );
  expect((await place.settled('q5')).states).toMatchObject({ done: 12 });
});

// Promise: outage-refuses-no-row
test('a client that gets 401 in the middle of a run refuses no row, and continues when it is accepted again', async () => {
  const place = await openFaultPlace({ faults: { latencyMs: 50 }, env: { SERVICE_CONCURRENCY: '8' } });
  await place.import(buyerLines(40));
  const faultsTold: string[] = [];
  await place.work((fault) => faultsTold.push(fault.message));
  await expect.poll(place.madeCount).toBeGreaterThanOrEqual(8);
  await place.standIn.setFaults({
    rules: [
      { on: 'company', fault: 'status', status: 401 },
      { on: 'limit', fault: 'status', status: 401 },
    ],
  });
  await expect.poll(() => faultsTold.filter((fault) => fault.includes('just granted')).length).toBeGreaterThan(0);
  expect((await place.report()).states.refused).toBe(0);
  await place.standIn.setFaults({ rules: [] });
  expect((await place.judged(40)).states.done).toBe(40);
});
