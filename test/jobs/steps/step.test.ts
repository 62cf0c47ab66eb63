import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { buyerLines, makeFolder, openWorkplace } from '../../support/workplace.ts';

describe('the way of a row', () => {
  test('leads from a line to a limit, each thing made once', async () => {
    const { work, standIn, settled, ...place } = await openWorkplace();
    await place.import(buyerLines(20));
    await work();
    const report = await settled();
    expect(report).toMatchObject({ lines: 20, rows: 20, statuses: { approved: 20 }, requested: report.granted });
    expect(report.states).toMatchObject({ done: 20, queued: 0 });
    expect(report.calls).toMatchObject({ company: 20, limit: 20, document: 0, token: 1, throttled: 0 });
    expect(standIn.counts().made).toEqual({ company: 20, document: 0, limit: 20 });
  });

  test('shares a buyer and a document among the rows that name them', async () => {
    const { dir, work, standIn, settled, context, ...place } = await openWorkplace();
    await mkdir(join(dir, 'documents'));
    await writeFile(join(dir, 'documents', 'a.pdf'), '%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n');
    const lines = ['name,country_code,company_registration_number,requested_limit,supporting_documents'];
    for (let n = 1; n <= 12; n += 1) lines.push(`Muster GmbH,DE,HRB 1,${n}000,a.pdf`);
    await place.import(lines);
    await work();
    await work();
    expect((await settled()).states.done).toBe(12);
    expect(standIn.counts().made).toEqual({ company: 1, document: 1, limit: 12 });
    const [first] = standIn.things('limit');
    expect(first?.body).toMatchObject({ supporting_documents: [expect.stringMatching(/./)] });
    const [result] = await context.rows.read(
      (await context.rows.inState('q4', 'done', { count: 1 })).map(({ row }) => row),
    );
    const limits = await context.ledger.lrange(context.keys.buyerLimits(result?.request.buyer ?? ''), 0, -1);
    expect(new Set(limits).size).toBe(12);
  });

  test('passes over what there is nothing to do for: a company that is known', async () => {
    const { work, standIn, settled, ...place } = await openWorkplace();
    await place.import(buyerLines(1));
    await work();
    await settled();
    const [company] = standIn.things('company');
    await place.import(['name,requested_limit,company_id', `Known AG,500,${company?.id}`], { portfolio: 'known' });
    expect((await settled('known')).states.done).toBe(1);
    expect(standIn.counts().made.company).toBe(1);
  });

  test('makes a request once, however often and wherever it is imported', async () => {
    const { work, standIn, settled, ...place } = await openWorkplace();
    await work();
    await place.import(buyerLines(5));
    await settled();
    await place.import(buyerLines(6), { portfolio: 'again' });
    const report = await settled('again');
    expect(report.states).toMatchObject({ skipped: 5, done: 1 });
    await place.import(buyerLines(5));
    expect((await settled()).states.done).toBe(5);
    expect(standIn.counts().made).toMatchObject({ company: 6, limit: 6 });
  });

  test('gives two portfolios the same request at the same time once, and says skipped to the other', async () => {
    const { work, standIn, settled, ...place } = await openWorkplace({ faults: { latencyMs: 5 } });
    await place.import(buyerLines(30));
    await place.import(buyerLines(30), { portfolio: 'twin' });
    await Promise.all([work(), work()]);
    const [one, two] = [await settled(), await settled('twin')];
    expect(one.states.done + two.states.done).toBe(30);
    expect(one.states.skipped + two.states.skipped).toBe(30);
    expect(standIn.counts().made).toMatchObject({ company: 30, limit: 30 });
  });
});

describe('answers that are no success', () => {
  test("a refusal is the row's, with what the service said, and a mended file sends it again", async () => {
    const { work, standIn, settled, context, ...place } = await openWorkplace({
      faults: { rules: [{ on: 'limit', match: 'HRB 2', fault: 'status', status: 422, body: 'too much', times: 1 }] },
    });
    await place.import(buyerLines(3));
    await work();
    expect((await settled()).states).toMatchObject({ done: 2, refused: 1 });
    const [refused] = await context.rows.inState('q4', 'refused', { count: 1 });
    const [result] = await context.rows.read(refused ? [refused.row] : []);
    expect(result).toMatchObject({ line: 3, step: 'limit', problem: { status: 422, body: 'too much' } });
    await place.import(buyerLines(3));
    expect((await settled()).states).toMatchObject({ done: 3, refused: 0 });
    expect(standIn.counts().made).toMatchObject({ company: 3, limit: 3 });
  });

  test('an unknown outcome holds the row, and nothing is sent again', async () => {
    const { work, standIn, settled, ...place } = await openWorkplace({
      faults: { rules: [{ on: 'limit', fault: 'reset', made: true, times: 1 }] },
    });
    await place.import(buyerLines(3));
    await work();
    expect((await settled()).states).toMatchObject({ done: 2, held: 1 });
    await place.import(buyerLines(3));
    expect((await settled()).states).toMatchObject({ done: 2, held: 1 });
    expect(standIn.counts().made.limit).toBe(3);
    expect(standIn.madeTwice()).toEqual([]);
  });

  test.each([
    ['429', { on: 'company', fault: 'status', status: 429, times: 4 }],
    ['503, where it is known to mean that', { on: 'limit', fault: 'status', status: 503, times: 3 }],
    ['429 with a wish', { on: 'company', fault: 'status', status: 429, headers: { 'retry-after': '1' }, times: 3 }],
  ] as const)('%s fails no row: the line waits', async (_name, rule) => {
    const { work, standIn, settled, ...place } = await openWorkplace({
      faults: { rules: [rule] },
      env: { SERVICE_NOT_MADE: '503' },
    });
    await place.import(buyerLines(10));
    await work();
    const report = await settled('q4', 50_000);
    expect(report.states.done).toBe(10);
    expect(report.calls.throttled).toBeGreaterThan(0);
    expect(standIn.madeTwice()).toEqual([]);
  });

  test.each([422, 500, 503])('a wish to wait is heard from an answer of %s too', async (status) => {
    const rule = { on: 'company', fault: 'status', status, headers: { 'retry-after': '2' }, times: 1 } as const;
    const { work, settled, ...place } = await openWorkplace({
      faults: { rules: [rule] },
      env: { SERVICE_CONCURRENCY: '1' },
    });
    await place.import(buyerLines(2));
    await work();
    const { states, started, finished } = await settled();
    expect(states).toMatchObject(status === 422 ? { refused: 1, done: 1 } : { held: 1, done: 1 });
    expect(Date.parse(finished ?? '') - Date.parse(started ?? '')).toBeGreaterThanOrEqual(2_000);
  });

  test('an outage fails no row, and the line goes on by itself', async () => {
    const { work, standIn, settled, report, ...place } = await openWorkplace();
    await standIn.setFaults({ outage: { how: 'refuse' } });
    await place.import(buyerLines(10));
    await work();
    await expect.poll(async () => (await report()).states.company).toBeGreaterThan(0);
    await standIn.setFaults({ outage: null });
    expect((await settled()).states.done).toBe(10);
  });

  test('wrong credentials stop the line and fail no row', async () => {
    const { work, settled, report, context, ...place } = await openWorkplace({
      env: { SERVICE_CLIENT_SECRET: 'wrong' },
    });
    await place.import(buyerLines(3));
    const faults: string[] = [];
    await work((fault) => faults.push(fault.message));
    await expect.poll(() => faults.length).toBeGreaterThan(0);
    expect(faults[0]).toContain('SERVICE_CLIENT_SECRET');
    const { states } = await report();
    expect(states.refused + states.held + states.done).toBe(0);
  });
});

describe('a ceiling', () => {
  test('is kept in every second, by several workers together', async () => {
    const { work, standIn, settled, ...place } = await openWorkplace({ env: { SERVICE_RATE_PER_S: '40' } });
    await place.import(buyerLines(50));
    await Promise.all([work(), work(), work()]);
    expect((await settled()).states.done).toBe(50);
    expect(standIn.maxPerSecond()).toBeLessThanOrEqual(40);
  });
});

describe('the supplier', () => {
  test('is created first, and its id stands on the portfolio', async () => {
    const { work, standIn, settled, ...place } = await openWorkplace();
    const supplierPath = join(await makeFolder(), 'supplier.csv');
    await writeFile(supplierPath, 'name,country_code,city\nLieferant AG,CH,Bern\n');
    await place.import(buyerLines(3), { supplierPath });
    await work();
    const report = await settled();
    const [first] = standIn.things('company');
    expect(first?.body).toMatchObject({
      name: 'Lieferant AG',
      address: { country_code: 'CH', city: 'Bern', state: null },
    });
    expect(report.supplier).toBe(first?.id);
    expect(report.states.done).toBe(3);
  });

  test('that the service refuses is reported, and stops no row', async () => {
    const { work, settled, context, ...place } = await openWorkplace({
      faults: { rules: [{ on: 'company', match: 'Lieferant', fault: 'status', status: 422 }] },
    });
    const supplierPath = join(await makeFolder(), 'supplier.csv');
    await writeFile(supplierPath, 'name,country_code\nLieferant AG,CH\n');
    await place.import(buyerLines(2), { supplierPath });
    await work();
    expect(await settled()).toMatchObject({ supplier: null, states: { done: 2 } });
    expect((await context.portfolios.read('q4')).supplier?.problem).toContain('422');
  });
});

test('stopping under load loses nothing and holds nothing', async () => {
  const { work, standIn, settled, report, ...place } = await openWorkplace({ faults: { latencyMs: [5, 60] } });
  await place.import(buyerLines(150));
  const first = await work();
  await expect.poll(async () => (await report()).states.done, { timeout: 20_000 }).toBeGreaterThan(5);
  await first.stop();
  const { states } = await report();
  expect(states.held + states.refused).toBe(0);
  expect(states.done).toBeLessThan(150);
  await work();
  expect((await settled()).states.done).toBe(150);
  expect(standIn.counts().made).toMatchObject({ company: 150, limit: 150 });
});
