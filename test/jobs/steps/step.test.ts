import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { buyerLines, openWorkplace } from '../../support/workplace.ts';

describe('a row', () => {
  test('is carried from its line to a limit, with one call for each thing', async () => {
    const { work, standIn, settled, ...place } = await openWorkplace();
    await place.import(buyerLines(20));
    await work();
    const report = await settled();
    expect(report).toMatchObject({ lines: 20, rows: 20, statuses: { approved: 20 }, requested: report.granted });
    expect(report.states).toMatchObject({ done: 20, queued: 0 });
    expect(report.calls).toMatchObject({ company: 20, limit: 20, document: 0, token: 1, throttled: 0 });
    expect(standIn.counts().made).toEqual({ company: 20, document: 0, limit: 20 });
  });

  // Promise: at-most-one-call
  test('shares its buyer and document with other rows that name them', async () => {
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

  test('skips the company step if its company is known', async () => {
    const { work, standIn, settled, ...place } = await openWorkplace();
    await place.import(buyerLines(1));
    await work();
    await settled();
    const [company] = standIn.things('company');
    await place.import(['name,requested_limit,company_id', `Known AG,500,${company?.id}`], { portfolio: 'known' });
    expect((await settled('known')).states.done).toBe(1);
    expect(standIn.counts().made.company).toBe(1);
  });

  // Promises: at-most-one-call, sent-once-however-imported
  test('is requested once, however often and wherever it is imported', async () => {
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

  // Promise: at-most-one-call
  test('of two portfolios with the same requests is made once, and skipped in the other', async () => {
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

test('stopping under load loses and holds no row', async () => {
  const { work, standIn, settled, report, ...place } = await openWorkplace({ faults: { latencyMs: [5, 60] } });
  await place.import(buyerLines(150));
  const first = await work();
  await expect.poll(async () => (await report()).states.done).toBeGreaterThan(5);
  await first.stop();
  const { states } = await report();
  expect(states.held + states.refused).toBe(0);
  expect(states.done).toBeLessThan(150);
  await work();
  expect((await settled()).states.done).toBe(150);
  expect(standIn.counts().made).toMatchObject({ company: 150, limit: 150 });
});
