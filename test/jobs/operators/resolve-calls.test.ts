import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Queue } from 'bullmq';
import { expect, onTestFinished, test } from 'vitest';
import { cancelRows } from '../../../jobs/operators/cancel-rows.ts';
import { type Resolving, resolveCalls } from '../../../jobs/operators/resolve-calls.ts';
import { resendHeld } from '../../support/approved-portfolio.ts';
import { buyerLines, openWorkplace } from '../../support/workplace.ts';

type Faults = NonNullable<Parameters<typeof openWorkplace>[0]>;
type Place = Awaited<ReturnType<typeof openWorkplace>>;

async function openPlace(options: Faults) {
  const place = await openWorkplace(options);
  const resolve = (what: Partial<Resolving>) => resolveCalls({ portfolio: 'q4', ...what }, place.context);
  return { ...place, resolve };
}

async function resultAt(line: number, { context }: Pick<Place, 'context'>, state: 'held' | 'done' = 'held') {
  const rows = (await context.rows.inState('q4', state, { count: 100 })).map(({ row }) => row);
  return (await context.rows.read(rows)).find((result) => result?.line === line);
}

const lost = (on: 'company' | 'limit' | 'document', match: string, made: boolean) =>
  ({ on, match, fault: 'reset', made, times: 1 }) as const;

test('a limit with a lost answer stays held until a person gives its id, and is not sent again', async () => {
  const place = await openPlace({ faults: { rules: [lost('limit', 'HRB 2', true)] } });
  await place.import(buyerLines(3));
  await place.work();
  expect((await place.settled()).states).toMatchObject({ done: 2, held: 1 });
  const { problem } = (await resultAt(3, place)) ?? {};
  expect(problem?.message).toMatch(
    /^It is unknown whether the buyer limit request was made: sent 20\d\d-\d\d-\d\dT[\d:.]+Z, then \S/,
  );
  expect(JSON.parse(problem?.sent ?? '')).toMatchObject({
    company: expect.stringMatching(/^company_/),
    company_registration_number: 'HRB 2',
    requested_limit: 1_002.5,
  });
  // Texts that cannot be the id of a limit are refused.
  for (const made of ['company_1', 'bl_', '2', '']) {
    await expect(place.resolve({ line: 3, made }), made).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringContaining('begin with bl_'),
    });
  }
  await expect(place.resolve({ line: 2 })).rejects.toMatchObject({
    code: 'NOT_FOUND',
    message: expect.stringMatching(/^Line 2 of portfolio "q4" is done \(bl_\S+\)\. The only held row is on line 3\.$/),
  });
  await pressRetry(place);
  expect((await place.report()).states).toMatchObject({ done: 2, held: 1 });
  const [made] = place.standIn.things('limit').filter(({ body }) => JSON.stringify(body).includes('HRB 2'));
  expect(await place.resolve({ line: 3, made: made?.id })).toMatchObject({ calls: 1, rows: 1 });
  expect((await place.settled()).states).toMatchObject({ done: 3, held: 0 });
  const { limitId, request, problem: none } = (await resultAt(3, place, 'done')) ?? {};
  expect([limitId, none]).toEqual([made?.id, undefined]);
  expect(place.standIn.counts().made.limit).toBe(3);
  const { ledger, keys } = place.context;
  expect(await ledger.lrange(keys.buyerLimits(request?.buyer ?? ''), 0, -1)).toEqual([made?.id]);
  await expect(place.resolve({ line: 3 })).rejects.toThrow(/^Line 3 .* No row of the portfolio is held\.$/);
});

/**
 * Somebody presses "retry" on a BullMQ dashboard for the only held row. Its job sends nothing, and explains how to
 * resolve it.
 */
async function pressRetry({ context: { keys, redis }, standIn }: Place): Promise<void> {
  const requests = standIn.counts().requests.limit;
  const queue = new Queue('buyer-limits', {
    connection: redis.connect('queue'),
    prefix: keys.queuePrefix('buyer-limits'),
  });
  onTestFinished(() => queue.close());
  await expect.poll(() => queue.getFailedCount()).toBe(1);
  const [job] = await queue.getFailed();
  const finishedMs = job?.finishedOn ?? 0;
  await job?.retry('failed');
  const again = async () => (job?.id ? await queue.getJob(job.id) : undefined);
  await expect.poll(async () => (await again())?.finishedOn ?? 0).toBeGreaterThan(finishedMs);
  expect((await again())?.failedReason).toMatch(/^line \d+: held.*limitline resolve/);
  expect(standIn.counts().requests.limit).toEqual(requests);
}

test('a company id from a person releases the rows of every portfolio that waited for it', async () => {
  const place = await openPlace({ faults: { rules: [lost('company', 'Shared', true)] } });
  const header = 'name,company_registration_number,requested_limit';
  await place.import([header, 'Shared AG,HRB 7,100', 'Shared AG,HRB 7,200', 'Other AG,HRB 8,300']);
  await place.work();
  expect((await place.settled()).states).toMatchObject({ done: 1, held: 2 });
  await place.import([header, 'Shared AG,HRB 7,400'], { portfolio: 'twin' });
  expect((await place.settled('twin')).states.held).toBe(1);
  const [made] = place.standIn.things('company').filter(({ body }) => JSON.stringify(body).includes('Shared'));
  expect(await place.resolve({ line: 2, made: made?.id })).toMatchObject({ calls: 1, rows: 3 });
  expect((await place.settled()).states.done).toBe(3);
  expect((await place.settled('twin')).states.done).toBe(1);
  expect(place.standIn.counts().made).toMatchObject({ company: 2, limit: 4 });
});

test('held calls that were not made are sent again, of one step only if a step is given', async () => {
  const place = await openPlace({
    faults: {
      rules: [lost('company', 'Buyer 1 ', false), lost('limit', 'HRB 2', false), lost('limit', 'HRB 3', false)],
    },
  });
  await place.import(buyerLines(4));
  await place.work();
  expect((await place.settled()).states).toMatchObject({ done: 1, held: 3 });
  expect(await resendHeld({ step: 'limit' }, place.context)).toEqual({ rows: 2 });
  expect((await place.settled()).states).toMatchObject({ done: 3, held: 1 });
  expect(await resendHeld({}, place.context)).toEqual({ rows: 1 });
  expect((await place.settled()).states.done).toBe(4);
  expect(place.standIn.counts().made).toMatchObject({ company: 4, limit: 4 });
});

test('an id is accepted for the one document at which the row is held, and an empty id is refused', async () => {
  const place = await openPlace({
    env: { ON_UNKNOWN_DOCUMENT: 'hold' },
    faults: { rules: [lost('document', 'a.pdf', true), lost('document', 'b.pdf', true)] },
  });
  await mkdir(join(place.dir, 'documents'));
  for (const name of ['a', 'b'])
    await writeFile(join(place.dir, 'documents', `${name}.pdf`), `%PDF-1.4\n% ${name}\n%%EOF\n`);
  await place.import(['name,requested_limit,supporting_documents', 'One AG,1,a.pdf|b.pdf', 'Two AG,2,b.pdf']);
  await place.work();
  expect((await place.settled()).states.held).toBe(2);
  for (const made of ['', ' ']) await expect(place.resolve({ line: 2, made }), made).rejects.toThrow('is empty');
  const idOf = (name: string) =>
    place.standIn.things('document').find(({ body }) => JSON.stringify(body).includes(`${name}.pdf`))?.id;
  expect(await place.resolve({ line: 2, made: idOf('a') })).toMatchObject({ calls: 1, rows: 1 });
  // The row continues with its other document, whose outcome is still unknown.
  expect((await place.settled()).states.held).toBe(2);
  await expect(place.resolve({ line: 2, made: idOf('a') })).rejects.toThrow(/already known: it was made for line 2/);
  expect(await place.resolve({ line: 3, made: idOf('b') })).toMatchObject({ calls: 1, rows: 2 });
  expect((await place.settled()).states.done).toBe(2);
  const limits = place.standIn.things('limit').map(({ body }) => Object(body).supporting_documents);
  expect(limits).toEqual(expect.arrayContaining([[idOf('a'), idOf('b')], [idOf('b')]]));
  expect(place.standIn.counts().made.document).toBe(2);
});

test('resolving a call does not bring back rows of a cancelled portfolio', async () => {
  const place = await openPlace({ faults: { rules: [lost('company', 'Shared', true)] } });
  const header = 'name,company_registration_number,requested_limit';
  await place.import([header, 'Shared AG,HRB 7,100']);
  await place.import([header, 'Shared AG,HRB 7,200'], { portfolio: 'twin' });
  await place.work();
  expect((await place.settled()).states.held).toBe(1);
  expect((await place.settled('twin')).states.held).toBe(1);
  await cancelRows({ portfolio: 'twin' }, place.context);
  const [made] = place.standIn.things('company');
  expect(await place.resolve({ line: 2, made: made?.id })).toMatchObject({ calls: 1 });
  expect((await place.settled()).states.done).toBe(1);
  expect((await place.settled('twin')).states).toMatchObject({ cancelled: 1, done: 0 });
  expect(place.standIn.counts().made.limit).toBe(1);
});

test('a line number means the line of the last import, not a held row of an earlier file', async () => {
  const place = await openPlace({ faults: { rules: [lost('limit', 'HRB 1', true)] } });
  const [header = '', first = '', second = ''] = buyerLines(2);
  await place.work();
  await place.import([header, first]);
  await place.settled();
  await place.import([header, second]);
  expect((await place.settled()).states).toMatchObject({ held: 1, done: 1 });
  await expect(place.resolve({ line: 2, made: 'bl_of_another' })).rejects.toMatchObject({
    code: 'NOT_FOUND',
    message: expect.stringMatching(
      / is done .*Held rows with this line number: line 2 of q4.csv #1, Buyer 1 .* \(row q4\/\S+\)\. Choose one with --row ID\.$/,
    ),
  });
  expect((await place.report()).states.held).toBe(1);
});

test('a supplier with an unknown outcome is sent again together with the held rows', async () => {
  const place = await openPlace({ faults: { rules: [lost('company', 'Supplier', false)] } });
  const supplierPath = join(place.dir, 'supplier.csv');
  await writeFile(supplierPath, 'name,country_code\nSupplier AG,DE\n');
  await place.import(buyerLines(1), { supplierPath });
  await place.work();
  expect((await place.settled()).supplier).toBeNull();
  expect(await resendHeld({}, place.context)).toEqual({ rows: 0 });
  await expect.poll(async () => (await place.report()).supplier).toMatch(/^company_/);
  expect(place.standIn.counts().made.company).toBe(2);
});

// Promise: line-number-of-two-files
test('a line number shared by two held rows is refused until the row id is given', async () => {
  const place = await openPlace({ faults: { rules: [lost('limit', 'HRB 1', true), lost('limit', 'HRB 2', true)] } });
  const [header = '', first = '', second = ''] = buyerLines(2);
  await place.work();
  await place.import([header, first]);
  await place.settled();
  await place.import([header, second]);
  expect((await place.settled()).states.held).toBe(2);
  const made = place.standIn.things('limit').find(({ body }) => JSON.stringify(body).includes('HRB 1'))?.id;
  const named =
    /^Several held rows .*line 2 of q4.csv #1, Buyer 1 GmbH, 1,001.50 \(row q4\/(\S+)\); line 2 of q4.csv #2, Buyer 2 /;
  for (const what of [{ made }, {}, { made, dryRun: true }]) {
    await expect(place.resolve({ line: 2, ...what })).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringMatching(named),
    });
  }
  expect((await place.report()).states.held).toBe(2);
  const { message = '' } = (await place.resolve({ line: 2 }).catch((error: Error) => error)) as Error;
  const [, row = ''] = named.exec(message) ?? [];
  expect(await place.resolve({ row, made, dryRun: true })).toMatchObject({
    of: [{ import: 'q4.csv #1', line: 2, made }],
  });
  expect(await place.resolve({ row, made })).toMatchObject({ calls: 1, rows: 1 });
  expect((await place.settled()).states).toMatchObject({ done: 1, held: 1 });
  expect(await resultAt(2, place, 'done')).toMatchObject({ limitId: made, request: { name: 'Buyer 1 GmbH' } });
  await expect(place.resolve({ row: `q4/${row}` })).rejects.toThrow(`Row q4/${row} is done (${made}).`);
  await expect(place.resolve({ row: `twin/${row}` })).rejects.toThrow(/does not belong to portfolio/);
  // Only one held row with this number is left.
  expect(await place.resolve({ line: 2 })).toMatchObject({ of: [{ import: 'q4.csv #2', name: 'Buyer 2 GmbH' }] });
});

test('resolving a row whose limit a person already gave explains that no call is needed', async () => {
  const place = await openPlace({ faults: { rules: [lost('limit', 'HRB 1', true)] } });
  await place.import(buyerLines(1));
  const workers = await place.work();
  await place.settled();
  await workers.stop();
  const made = place.standIn.things('limit')[0]?.id;
  await place.resolve({ line: 2, made });
  await expect(place.resolve({ line: 2, made })).rejects.toThrow(
    `Line 2 of portfolio "q4" needs no call any more: its limit is known (${made}), and a worker only has to record it.`,
  );
});
