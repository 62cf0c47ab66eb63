import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { retryRow } from '../../../jobs/operators/retry-row.ts';
import { callOnce } from '../../../jobs/steps/call-once.ts';
import { type GoDeps, goOn } from '../../../jobs/steps/go-on.ts';
import { jobId } from '../../../src/queue/queue-looks.ts';
import { buyerLines, openWorkplace } from '../../support/workplace.ts';

const REFUSED = { on: 'limit', match: 'HRB 2', fault: 'status', status: 422, body: 'too much', times: 1 } as const;

// Promise: retry-from-refusing-step
test("a row refused at a later step is a failed job of that step, and is sent by an operator's retry", async () => {
  const { work, standIn, settled, context, ...place } = await openWorkplace({ faults: { rules: [REFUSED] } });
  await place.import(buyerLines(3));
  await work();
  expect((await settled()).states).toMatchObject({ done: 2, refused: 1 });
  const { companies, 'buyer-limits': limits } = context.queues.bullmq;
  await expect.poll(() => limits.getFailed()).toHaveLength(1);
  expect(await companies.getFailed()).toEqual([]);
  const [failed] = await limits.getFailed();
  expect(failed?.failedReason).toMatch(/^line 3: refused with status 422 \(step limit/);

  // If BullMQ or another dashboard runs that job, it sends nothing and fails again.
  const row = failed?.data ?? { portfolio: '', key: '' };
  const jobOf = () => limits.getJob(jobId(row));
  await (await jobOf())?.retry('failed');
  await expect.poll(async () => (await jobOf())?.attemptsStarted).toBe(2);
  await expect.poll(async () => (await jobOf())?.isFailed()).toBe(true);
  expect(standIn.counts().made).toMatchObject({ limit: 2 });

  expect(await retryRow(row, 'olga', context)).toEqual({ is: 'again' });
  await expect.poll(async () => (await place.report()).states.done).toBe(3);
  expect(standIn.counts().made).toMatchObject({ company: 3, limit: 3 });
});

test('a failed job missing after a crash is made by the job of the earlier step', async () => {
  const { standIn, context, ...place } = await openWorkplace();
  await place.import(buyerLines(1));
  const [found] = await context.rows.inState('q4', 'queued', { count: 1 });
  const row = found?.row ?? { portfolio: '', key: '' };
  await context.rows.begin(row, 'company');
  await context.rows.advance(row, 'company', 'limit', { company: 'company_1' });
  const problem = { step: 'limit', message: 'no', status: 422, body: 'no' } as const;
  await context.rows.advance(row, 'limit', 'refused', { problem });
  const deps = { rows: context.rows, queues: context.queues } as unknown as GoDeps;
  expect(await goOn(row, 'company', deps)).toEqual({ is: 'finished' });
  const job = await context.queues.bullmq['buyer-limits'].getJob(jobId(row));
  expect(job?.data.failed).toMatch(/^line 2: refused with status 422/);
  expect(standIn.counts().made).toMatchObject({ company: 0, limit: 0 });
});

test('a row passes all steps in one job if no queue is paused', async () => {
  const { work, settled, context, ...place } = await openWorkplace();
  await place.import(buyerLines(10));
  await work();
  expect((await settled()).states.done).toBe(10);
  // BullMQ numbers the jobs of a queue here.
  expect(await context.ledger.get(context.queues.bullmq['buyer-limits'].toKey('id'))).toBeNull();
  expect(await context.ledger.get(context.queues.bullmq.companies.toKey('id'))).not.toBeNull();
});

test('a made company is recorded even if the next step of its row fails', async () => {
  const { dir, work, standIn, context, ...place } = await openWorkplace();
  await mkdir(join(dir, 'documents'));
  await writeFile(join(dir, 'documents', 'a.pdf'), '%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n');
  const header = 'name,country_code,company_registration_number,requested_limit,supporting_documents';
  await place.import([header, 'Muster GmbH,DE,HRB 1,1000,a.pdf']);
  // The document store has lost its content.
  await rm(join(context.settings.LIMITLINE_DATA, 'documents'), { recursive: true });
  await work();
  await expect.poll(async () => (await place.report()).states.documents).toBe(1);
  const [found] = await context.rows.inState('q4', 'documents', { count: 1 });
  const [result] = await context.rows.read(found ? [found.row] : []);
  expect(result?.companyId).toBe(standIn.things('company')[0]?.id);
  expect(standIn.counts().made).toMatchObject({ company: 1, document: 0, limit: 0 });
});

test('rows stop at a queue that is paused under load, and continue after it is resumed', async () => {
  const rows = 40;
  const { work, standIn, settled, report, context, ...place } = await openWorkplace({
    faults: { latencyMs: 25 },
    env: { SERVICE_CONCURRENCY: '2' },
  });
  await place.import(buyerLines(rows));
  await work();
  await expect.poll(() => standIn.counts().made.limit).toBeGreaterThan(2);
  await context.queues.pauseQueue('buyer-limits');
  const atRest = async () => {
    const [, , limits] = await context.queues.counts();
    return (limits?.waiting ?? 0) + (await report()).states.done;
  };
  await expect.poll(atRest, { timeout: 120_000 }).toBe(rows);
  const { limit } = (await report()).states;
  // At that moment many rows had not passed this step.
  expect(limit).toBeGreaterThan(10);
  await context.queues.resumeQueue('buyer-limits');
  expect((await settled()).states.done).toBe(rows);
  expect(standIn.counts().made.limit).toBe(rows);
});

test('a carried row does not wait for a breaker that was tripped meanwhile', async () => {
  const row = { portfolio: 'q4', key: 'row-1' };
  const request = {
    kind: 'limit',
    key: 'row-1',
    row,
    revision: '0',
    buyer: 'b',
    what: 'it',
    sent: '{}',
    body: {},
  } as const;
  const { signal: stopping } = new AbortController();
  const deps = { suspects: new Map(), breakers: { isTripped: () => true }, stopping } as unknown as GoDeps;
  await expect(callOnce(request, deps, { isCarried: true })).rejects.toMatchObject({ code: 'STOPPED' });
});
