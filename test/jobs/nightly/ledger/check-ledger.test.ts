import { mkdir, rename, utimes, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { checkLedger } from '../../../../jobs/nightly/ledger/index.ts';
import { cancelRows } from '../../../../jobs/operators/cancel-rows.ts';
import { freeHeld } from '../../../../jobs/operators/free-held.ts';
import { retryNamed } from '../../../../jobs/operators/retry-row.ts';
import { openContext } from '../../../../src/context.ts';
import type { FoundItem } from '../../../../src/ledger/nightly/checks.ts';
import type { RowId } from '../../../../src/ledger/schema/schema.ts';
import { found, quietPlace } from '../../../support/checked-ledger.ts';
import { buyerLines, makeFolder, openWorkplace } from '../../../support/workplace.ts';

type Place = Awaited<ReturnType<typeof openWorkplace>>;

/** A damage, the finding that it causes, and whether the check corrects it. */
type Damage = [what: string, (place: Place, row: RowId) => Promise<unknown>, found: Partial<FoundItem>];

const DAMAGES: Damage[] = [
  [
    'a sum',
    ({ context: { ledger, keys } }) => ledger.hincrby(keys.sums('q4', 'b'), 'sum:done:0', 5),
    { check: 'counts', portfolio: 'q4', isMended: true, rows: 4 },
  ],
  [
    'a row in no index',
    ({ context: { ledger, keys } }, row) => ledger.zrem(keys.rowsInState('q4', 'done'), row.key),
    { check: 'counts', portfolio: 'q4', line: 2, name: 'Buyer 1 GmbH', requested: '1000.5', isMended: true },
  ],
  [
    'a name that rows are searched by',
    ({ context: { ledger, keys } }, row) => ledger.zadd(keys.names('q4'), 0, `x\0${row.key}`),
    { check: 'indexes', line: 2, isMended: true },
  ],
  [
    'a held row that is not listed',
    ({ context: { ledger, keys } }) => ledger.zadd(keys.held, 1, 'q4/nobody'),
    { check: 'indexes', rows: 1, isMended: true },
  ],
  [
    'a limit that its buyer does not have',
    async ({ context: { ledger, keys, rows } }, row) => {
      const [result] = await rows.read([row]);
      await ledger.del(keys.buyerLimits(result?.request.buyer ?? ''));
    },
    { check: 'buyer lists', line: 2, detail: expect.stringMatching(/^bl_/), isMended: true },
  ],
  [
    'a limit that its buyer has twice',
    async ({ context: { ledger, keys, rows } }, row) => {
      const [result] = await rows.read([row]);
      await ledger.rpush(keys.buyerLimits(result?.request.buyer ?? ''), result?.limitId ?? '');
    },
    { check: 'buyer lists', name: 'Buyer 1 GmbH', isMended: true },
  ],
  [
    'a call for a limit that was forgotten',
    ({ context: { ledger, keys } }, row) => ledger.del(keys.call('limit', row.key)),
    { check: 'calls', line: 2, detail: expect.stringMatching(/^bl_/), isMended: true },
  ],
  [
    'a call for a company that was forgotten',
    async ({ context: { ledger, keys, rows } }, row) => {
      const [result] = await rows.read([row]);
      await ledger.del(keys.call('company', result?.request.buyer ?? ''));
    },
    { check: 'calls', line: 2, detail: expect.stringMatching(/^company_/), isMended: true },
  ],
  [
    'a job for a row that is done',
    async ({ context: { queues, ledger, keys } }, row) => {
      const atMs = Date.now() - 300_000;
      await ledger.hset(keys.row(row.portfolio, row.key), 'updated', atMs);
      await ledger.zadd(keys.changed(row.portfolio), atMs, row.key);
      await queues.add([{ queue: 'companies', name: 'create-company', data: row }]);
    },
    { check: 'no row', line: 2, isMended: true },
  ],
  [
    'a job for no row',
    ({ context: { queues } }) =>
      queues.add([{ queue: 'documents', name: 'upload-documents', data: { portfolio: 'gone', key: 'a' } }]),
    { check: 'no row', portfolio: 'gone', detail: 'gone/a', isMended: true },
  ],
];

// Promise: night-mends-what-is-certain
test('each difference within the ledger is found with its row, corrected, and not found again', async () => {
  const place = await quietPlace();
  expect(await found(place)).toEqual([]);
  for (const [what, damage, expected] of DAMAGES) {
    await damage(place, place.row);
    expect(await found(place), what).toEqual([expect.objectContaining(expected)]);
    expect(await found(place), `${what}, a second time`).toEqual([]);
  }
});

test('a second job of a row that just ended is left to the workers', async () => {
  const place = await quietPlace();
  await place.context.queues.add([{ queue: 'companies', name: 'create-company', data: place.row }]);
  expect(await found(place)).toEqual([]);
});

// Promises: night-leaves-the-rest, forgotten-call-left-to-people
test('findings that only a person can decide are reported with an advice, and left unchanged', async () => {
  const place = await quietPlace();
  const { ledger, keys, rows, imports, documents } = place.context;
  const [row] = (await rows.inState('q4', 'done', { count: 9 })).slice(1);
  if (!row) throw new Error('no second row is done');
  const [result] = await rows.read([row.row]);
  const [waits] = await rows.inState('to come', 'queued', { count: 1 });
  const call = keys.call('limit', waits?.row.key ?? '');
  const longAgo = new Date(Date.now() - 5 * 86_400_000);
  const [first] = await rows.read([place.row]);
  const document = documents.open(first?.request.documents[0]?.sha256 ?? '').path;
  const [known] = await place.context.portfolios.allImports('q4');
  const file = imports.open(known?.id ?? '').path;

  // A buyer has a limit that nobody requested, and a row has another limit than its call.
  await ledger.rpush(keys.buyerLimits(result?.request.buyer ?? ''), 'bl_other');
  await ledger.hset(keys.call('limit', row.row.key), 'id', 'bl_instead');
  // The process of this old claim is gone.
  const claim = { state: 'claimed', owner: 'gone/1', row: `to come/${waits?.row.key}`, at: longAgo.getTime() };
  await ledger.hset(call, claim);
  // One stored file has other content, one document is missing, and one copy of each kind is unused.
  await writeFile(file, 'other');
  const strange = place.context.storedFiles.pathOf('f'.repeat(64));
  await mkdir(dirname(strange), { recursive: true });
  await writeFile(strange, 'x');
  const nobodys = place.context.storedDocuments.pathOf('e'.repeat(64));
  await mkdir(dirname(nobodys), { recursive: true });
  await rename(document, nobodys);
  for (const path of [strange, nobodys]) await utimes(path, longAgo, longAgo);

  const items = await found(place);
  expect(items).toEqual(await found(place));
  expect(items).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        check: 'buyer lists',
        name: result?.request.name,
        detail: 'bl_other',
        isMended: false,
      }),
      expect.objectContaining({
        check: 'calls',
        line: result?.line,
        detail: `the row has ${result?.limitId}, and the call made bl_instead`,
      }),
      expect.objectContaining({ check: 'old claims', line: 2, command: 'work', sinceMs: longAgo.getTime() }),
      expect.objectContaining({ check: 'files', portfolio: 'q4', detail: `q4.csv, import 1: ${file}` }),
      expect.objectContaining({ check: 'files', portfolio: '', detail: strange }),
      expect.objectContaining({ check: 'documents', line: 2, detail: `balance.pdf: ${document}` }),
      expect.objectContaining({ check: 'documents', portfolio: '', detail: nobodys }),
    ]),
  );
});

// Promise: vanished-sender-resolved
test('the command for a call whose sender vanished makes its cancelled row held, so that a person can resolve it', async () => {
  const place = await openWorkplace();
  const { context } = place;
  const header = 'name,country_code,company_registration_number,requested_limit';
  await place.import([header, 'A AG,DE,HRB 1,10', 'B AG,DE,HRB 2,20']);
  await place.import([header, 'A AG,DE,HRB 1,11'], { portfolio: 'q4' });
  await cancelRows({ portfolio: 'q4' }, context);
  const rows = await context.rows.inState('q4', 'cancelled', { count: 9 });
  for (const result of await context.rows.read(rows.map(({ row }) => row))) {
    const claim = { state: 'claimed', owner: 'gone/1', row: 'q4/gone', at: Date.now() - 86_400_000 };
    await context.ledger.hset(context.keys.call('company', result?.request.buyer ?? ''), claim);
  }
  const claims = (await found(place)).filter(({ check }) => check === 'old claims');
  const told = claims.map(({ name, requested, command = '' }) => [name, requested, command]);
  const retry = (key = '') => `retry q4 --state cancelled --row ${key}`;
  const keyOf = (amount: string) => claims.find(({ requested }) => requested === amount)?.key;
  // A replaced row gets no command, because it is never sent again.
  expect(told.toSorted()).toEqual([
    ['A AG', '10', ''],
    ['A AG', '11', retry(keyOf('11'))],
    ['B AG', '20', retry(keyOf('20'))],
  ]);
  await retryNamed({ portfolio: 'q4', state: 'cancelled', row: keyOf('11') }, 'anna', context);
  await place.work();
  expect((await place.settled()).states).toMatchObject({ held: 1, cancelled: 2 });
});

test('the check releases a held row whose call was made, and reports a refused row with the command to retry it', async () => {
  const place = await quietPlace();
  const { ledger, keys, rows } = place.context;
  const [held, refused] = (await rows.inState('to come', 'queued', { count: 2 })).map(({ row }) => row);
  if (!held || !refused) throw new Error('nothing waits');
  const [{ request } = { request: undefined }] = (await rows.read([held])).filter((one) => one !== undefined);
  const problem = { step: 'company' as const, message: 'It is unknown whether the company was made: reset' };
  await rows.begin(held, 'company');
  await rows.advance(held, 'company', 'held', { problem });
  await rows.advance(refused, 'queued', 'refused', {
    problem: { step: 'limit', message: 'The service refused it with status 400' },
  });
  const made = { state: 'made', id: 'company_late', row: `to come/${held.key}` };
  await ledger.hset(keys.call('company', request?.buyer ?? ''), made);
  await ledger.hset(keys.call('limit', refused.key), { state: 'made', id: 'bl_late', row: `to come/${refused.key}` });
  // The call was made for another portfolio's row, so it is no finding of this one.
  const items = await found(place);
  expect(items.filter(({ check }) => check === 'calls')).toEqual([
    expect.objectContaining({ portfolio: 'to come', line: 2, isMended: true }),
    expect.objectContaining({
      portfolio: 'to come',
      line: 3,
      isMended: false,
      detail: 'bl_late',
      command: 'retry "to come" --state refused --line 3',
    }),
  ]);
  expect((await rows.read([held]))[0]).toMatchObject({ state: 'queued' });
  await ledger.hset(keys.call('limit', refused.key), 'row', `other/${refused.key}`);
  expect((await found(place)).filter(({ check }) => check === 'calls')).toEqual([]);
});

// Promise: files-on-another-host
test('on a host whose data folder has none of the files, no file is reported as missing', async () => {
  const place = await quietPlace();
  const { settings, log } = place.context;
  const elsewhere = await openContext({ settings: { ...settings, LIMITLINE_DATA: await makeFolder() }, log });
  onTestFinished(() => elsewhere.close());
  const items: FoundItem[] = [];
  const sink = { found: (item: FoundItem) => void items.push(item) };
  const { notes } = await checkLedger(elsewhere, { sink, signal: new AbortController().signal });
  expect(items).toEqual([]);
  expect(notes).toEqual([expect.stringContaining('Files, documents and archives were not compared')]);
});

// Promise: one-report-a-night
test('a check stopped halfway is repeated, and each difference is found and corrected once', async () => {
  const place = await quietPlace();
  const { ledger, keys } = place.context;
  await ledger.hincrby(keys.sums('q4', 'a'), 'sum:done:0', 5);
  await ledger.zrem(keys.rowsInState('q4', 'done'), place.row.key);
  const before = await place.report();
  const ending = new AbortController();
  const early: FoundItem[] = [];
  const rowChecks = [{ row: () => ending.abort(new Error('the process ends')) }];
  const sink = { found: (item: FoundItem) => void early.push(item) };
  await expect(checkLedger(place.context, { sink, rowChecks, signal: ending.signal })).rejects.toThrow(
    'the process ends',
  );
  const items = await found(place);
  expect([...early, ...items].map(({ says, rows = 1 }) => [says, rows])).toEqual([
    ['rows were not counted in their state; this is corrected', 1],
    ['sums and counts did not match the rows (done); this is corrected', 4],
  ]);
  expect(await found(place)).toEqual([]);
  expect((await place.report()).states.done).toBe(before.states.done + 1);
});

test('a held row whose call was lost stays held, and the check puts its call in doubt again', async () => {
  const place = await openWorkplace({ faults: { rules: [{ on: 'limit', times: 1, fault: 'reset', made: true }] } });
  const { context } = place;
  await place.import(buyerLines(1));
  const workers = await place.work();
  await place.settled();
  await workers.stop();
  const [held] = await context.rows.inState('q4', 'held', { count: 1 });
  if (!held) throw new Error('no row is held');
  await context.ledger.del(context.keys.call('limit', held.row.key));
  expect(await freeHeld(context)).toEqual([]);
  expect(await found(place)).toMatchObject([{ check: 'calls', line: 2, name: 'Buyer 1 GmbH', isMended: true }]);
  expect(await found(place)).toEqual([]);
  expect(await context.calls.isUnknown({ kind: 'limit', key: held.row.key })).toBe(true);
});

test('rows whose approval is missing are reported', async () => {
  const place = await openWorkplace({ env: { APPROVE_ALWAYS: 'on' } });
  const { ledger, keys, approvals } = place.context;
  await place.import(buyerLines(2), { by: 'alice' });
  expect(await found(place)).toEqual([]);
  const [waits] = await approvals.waiting();
  await ledger.del(keys.approval(waits?.id ?? ''));
  expect(await found(place)).toMatchObject([{ check: 'approvals', portfolio: 'q4', rows: 2, isMended: false }]);
});
