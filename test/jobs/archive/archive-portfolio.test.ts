import { execFileSync } from 'node:child_process';
import { mkdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ArchiveProgress } from '../../../jobs/archive/archive-deps.ts';
import { ARCHIVE_FILES } from '../../../jobs/archive/archive-files.ts';
import { archivePortfolio, mayBeArchived } from '../../../jobs/archive/archive-portfolio.ts';
import { MANIFEST } from '../../../jobs/archive/manifest.ts';
import { differences, NEVER, openArchiving, putBackPlainly } from '../../support/archive.ts';
import { ALWAYS } from '../../support/awaiting-ledger.ts';
import { makeRequest } from '../../support/ledger.ts';
import { makeFolder } from '../../support/workplace.ts';

test('the files of an archive are private, and its manifest describes each of them', async () => {
  const { fill, archive } = await openArchiving();
  await fill('q4', 3);
  const { folder, sizeBytes } = await archive('q4');
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  const files = [...ARCHIVE_FILES, MANIFEST];
  const found = await Promise.all(files.map((file) => stat(join(folder, file))));
  expect(found.map(({ mode }) => mode & 0o777)).toEqual(files.map(() => 0o600));
  expect(found.reduce((sum, { size }) => sum + size, 0)).toBe(sizeBytes);
  const manifest = JSON.parse(await readFile(join(folder, MANIFEST), 'utf8'));
  expect(manifest).toMatchObject({ format: 1, portfolio: 'q4', rows: 3, states: { done: 3 }, requested: '3000.00' });
  // The folder alone explains what it contains.
  for (const file of ARCHIVE_FILES) expect(manifest.about).toContain(file);
  const lines = await Promise.all(
    ARCHIVE_FILES.map(
      async (file) =>
        gunzipSync(await readFile(join(folder, file)))
          .toString()
          .split('\n').length - 1,
    ),
  );
  expect(manifest.files.map((file: { lines: number }) => file.lines)).toEqual(lines);
});

// Promise: fuller-archive-stays
test.each([
  ['fewer rows', 2],
  ['as many rows, and others of them', 4],
])('an archive with rows that an older Redis lacks stays beside one with %s', async (_, count) => {
  const { fill, archive, foldersOf, connection, keys } = await openArchiving();
  await fill('q4', 2);
  const started = (await connection.hget(keys.portfolio('q4'), 'started')) ?? '';
  await fill('q4', 4);
  const { id: fuller } = await archive('q4');
  // An older copy of Redis is put back.
  await connection.del(await connection.keys(`${keys.account.slice(0, -'account'.length)}*`));
  await fill('q4', 2);
  if (count > 2) await fill('q4', count - 2, 'added');
  await connection.hset(keys.portfolio('q4'), { started });
  const { id } = await archive('q4');
  expect(await foldersOf('q4')).toEqual([fuller, id].sort());
});

// Promise: fuller-archive-stays
test('an archive with limits that an older Redis lacks stays beside one with the same rows', async () => {
  const { fill, archive, foldersOf, connection, keys, portfolios, rows } = await openArchiving();
  await fill('q4', 2);
  const started = (await connection.hget(keys.portfolio('q4'), 'started')) ?? '';
  const { id: fuller } = await archive('q4');
  // An older copy of Redis is put back, and its rows are cancelled.
  await connection.del(await connection.keys(`${keys.account.slice(0, -'account'.length)}*`));
  const run = await portfolios.startImport('q4', { id: 'gone', fileName: 'q4.csv', reading: '{}' });
  for (const n of [1, 2]) {
    const row = { portfolio: 'q4', key: `q4-${n}` };
    await rows.put(row, n + 1, run.number, makeRequest({ buyer: `q4-buyer-${n}` }));
  }
  await run.end();
  await portfolios.cancel('q4');
  for (const { row } of await rows.inState('q4', 'queued', { count: 2 })) await rows.cancel(row);
  await connection.hset(keys.portfolio('q4'), { started });
  const { id } = await archive('q4');
  expect(await foldersOf('q4')).toEqual([fuller, id].sort());
});

describe('a portfolio stays unchanged, and its archive is removed, if', () => {
  /** Archives with an action at one step. Expects a fault, no change and no remains. */
  async function failing(at: (progress: ArchiveProgress, part: string) => Promise<void> | void, rows = 3) {
    const own = await openArchiving();
    await own.fill('q4', rows);
    const before = await own.dump();
    const onProgress = async (progress: ArchiveProgress) => {
      const state = await own.archiveState('q4');
      await at(progress, `${own.folderOf('q4', state.id)}.part`);
    };
    const fault = await archivePortfolio(own.deps, 'q4', { by: 'me', signal: NEVER, onProgress }).then(
      () => undefined,
      (error) => error,
    );
    expect(differences(before, await own.dump())).toEqual({});
    expect(await own.foldersOf('q4')).toEqual([]);
    // Without the fault, the portfolio can be archived.
    await own.archive('q4');
    return fault;
  }
  const atStep = (step: string, act: (part: string) => Promise<unknown>) => {
    let isDone = false;
    return async (progress: ArchiveProgress, part: string) => {
      if (progress.step !== step || isDone) return;
      isDone = true;
      await act(part);
    };
  };

  // Promise: archive-read-back-first
  test.each(ARCHIVE_FILES)('%s is changed between writing and comparing', async (file) => {
    const fault = await failing(
      atStep('comparing', async (part) => {
        const bytes = await readFile(join(part, file));
        bytes[bytes.length - 12] = (bytes[bytes.length - 12] ?? 0) ^ 1;
        await writeFile(join(part, file), bytes);
      }),
    );
    expect(fault).toMatchObject({ code: 'FILE', message: expect.stringContaining(file) });
  });

  test.each(ARCHIVE_FILES.slice(0, 1))('%s is truncated between writing and comparing', async (file) => {
    const fault = await failing(atStep('comparing', (part) => truncate(join(part, file), 100)));
    expect(fault).toMatchObject({ code: 'FILE', message: expect.stringContaining(file) });
  });

  test('the archive folder cannot get its name', async () => {
    const inTheWay = atStep('naming', (part) =>
      mkdir(join(part.replace(/\.part$/, ''), 'in the way'), { recursive: true }),
    );
    expect(await failing(inTheWay)).toMatchObject({ code: 'FILE' });
  });

  test('the archive folder cannot be created', async () => {
    const inTheWay = atStep('begun', async (part) => {
      await mkdir(join(part, '..'), { recursive: true });
      await writeFile(part, 'a file where a folder is to be');
    });
    expect(await failing(inTheWay)).toMatchObject({ code: 'FILE' });
  });
});

// Only root can mount a disk for this test.
// Promise: stopped-archive-changes-nothing
test.skipIf(process.getuid?.() !== 0)('a full disk throws its reason, and the portfolio stays unchanged', async () => {
  const disk = join(await makeFolder(), 'disk');
  await mkdir(disk);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=32k', 'limitline-test', disk]);
  onTestFinished(() => void execFileSync('umount', ['--lazy', disk]));
  const { dump, fill, archive, foldersOf } = await openArchiving({ dir: disk });
  await fill('q4', 400);
  const before = await dump(':q4');
  await expect(archive('q4')).rejects.toMatchObject({
    code: 'FILE',
    message: expect.stringMatching(/cannot be written: the disk is full/),
  });
  expect(differences(before, await dump(':q4'))).toEqual({});
  expect(await foldersOf('q4')).toEqual([]);
});

test('a row changed during archiving is found, and nothing is removed from Redis', async () => {
  const { fill, archive, deps, connection, keys, foldersOf } = await openArchiving();
  await fill('q4', 3);
  const change = async ({ step, rows }: ArchiveProgress) => {
    if (step === 'comparing' && rows === 0) await connection.hset(keys.row('q4', 'q4-2'), 'state', 'refused');
  };
  const archiving = archivePortfolio(deps, 'q4', { by: 'me', signal: NEVER, onProgress: change });
  await expect(archiving).rejects.toMatchObject({ code: 'USAGE', message: expect.stringContaining('was changed') });
  expect(await connection.hexists(keys.portfolio('q4'), 'archive')).toBe(0);
  expect(await foldersOf('q4')).toEqual([]);
  await archive('q4');
});

test('a row whose fields are in another order counts as unchanged', async () => {
  const { fill, deps, connection, keys } = await openArchiving();
  await fill('q4', 3);
  const change = async ({ step, rows }: ArchiveProgress) => {
    if (step !== 'comparing' || rows !== 0) return;
    const row = keys.row('q4', 'q4-2');
    const fields = Object.entries(await connection.hgetall(row)).reverse();
    await connection.del(row);
    // A hash of short texts keeps its fields in the order in which they came.
    for (const [field, value] of fields) await connection.hset(row, field, value);
  };
  expect(await archivePortfolio(deps, 'q4', { by: 'me', signal: NEVER, onProgress: change })).toMatchObject({
    rows: 3,
  });
});

test('a new archive replaces the earlier one, and an archive of another ledger stays', async () => {
  const { fill, archive, connection, keys, foldersOf, folderOf } = await openArchiving();
  await fill('q4', 2);
  const first = await archive('q4');
  await putBackPlainly(first.folder, 'q4', { connection, keys });
  const foreign = folderOf('q4', 'foreign');
  await mkdir(foreign);
  const manifest = JSON.parse(await readFile(join(first.folder, MANIFEST), 'utf8'));
  await writeFile(join(foreign, MANIFEST), JSON.stringify({ ...manifest, startedMs: 1 }));
  const second = await archive('q4');
  expect((await foldersOf('q4')).sort()).toEqual([second.id, 'foreign']);
});

// Promise: what-to-do-before-archive
describe('a portfolio is not archived, and the error tells what to do first, if', () => {
  test.each([
    ['it does not exist', async () => {}, 'NOT_FOUND', 'There is no portfolio'],
    ['rows are unfinished', (own: Own) => own.fillOpen('queued'), 'USAGE', '1 row of q4 is still to be worked on'],
    [
      'rows wait for approval',
      (own: Own) => own.fillOpen('awaiting'),
      'USAGE',
      'Approve it (npx limitline approve "q4" --as USER)',
    ],
    [
      'a supplier alone waits for approval',
      (own: Own) => own.fillOpen('approval'),
      'USAGE',
      'An approval of q4 waits for another person\'s answer. Give it (npx limitline approve "q4" --as USER)',
    ],
    [
      'its supplier is not created yet',
      (own: Own) => own.fillOpen('supplier'),
      'USAGE',
      'of the supplier of q4 is still',
    ],
    [
      'its supplier is in doubt',
      (own: Own) => own.fillOpen('doubt'),
      'USAGE',
      'npx limitline resolve "q4" --all --resend',
    ],
    ['rows are held', (own: Own) => own.fillOpen('held'), 'USAGE', 'npx limitline report "q4" --state held'],
    ['a file is being imported', (own: Own) => own.fillOpen('importing'), 'USAGE', 'is being imported into q4'],
    ['it is already archived', (own: Own) => own.fillOpen('archived'), 'USAGE', 'limitline restore "q4"'],
  ] as const)('%s', async (_where, prepare, code, words) => {
    const own = await openArchiving();
    await prepare({ fillOpen: (state) => fillOpen(own, state) });
    const before = await own.dump();
    const fault = { code, message: expect.stringContaining(words) };
    await expect(own.archive('q4')).rejects.toMatchObject(fault);
    await expect(mayBeArchived(own.deps, 'q4')).rejects.toMatchObject(fault);
    expect(differences(before, await own.dump())).toEqual({});
  });

  type Own = {
    fillOpen: (
      state: 'queued' | 'awaiting' | 'held' | 'approval' | 'supplier' | 'doubt' | 'importing' | 'archived',
    ) => Promise<void>;
  };

  async function fillOpen(own: Awaited<ReturnType<typeof openArchiving>>, state: string): Promise<void> {
    await own.fill('q4', 1);
    if (state === 'archived') return void (await own.archive('q4'));
    const { connection, keys } = own;
    if (state === 'approval') return askForSupplier(own);
    const supplier = JSON.stringify({ body: { name: 'S' }, key: 's' });
    if (state === 'supplier') return void (await connection.hset(keys.portfolio('q4'), { supplier }));
    if (state === 'doubt') {
      await connection.hset(keys.call('company', 's'), { state: 'unknown' });
      const problem = 'It is unknown whether the supplier was made';
      const named = JSON.stringify({ body: { name: 'S' }, key: 's', problem });
      return void (await connection.hset(keys.portfolio('q4'), { supplier: named }));
    }
    const run = await own.portfolios.startImport('q4', { id: 'other', fileName: 'other.csv', reading: '{}' });
    if (state === 'importing') return;
    const row = { portfolio: 'q4', key: 'open' };
    await own.rows.put(row, 9, run.number, makeRequest());
    if (state === 'awaiting') await connection.rename(keys.rowsInState('q4', 'queued'), keys.rowsInState('q4', state));
    if (state === 'held') {
      await own.rows.begin(row, 'company');
      await own.rows.advance(row, 'company', 'held', { problem: { step: 'company', message: 'nobody knows' } });
    }
    await run.end();
  }

  /** All rows were requested before, and a later import only names another supplier, which has a company of the service. */
  async function askForSupplier({ portfolios, approvals }: Awaited<ReturnType<typeof openArchiving>>): Promise<void> {
    const run = await portfolios.startImport('q4', { id: 'later', fileName: 'later.csv', reading: '{}' });
    const supplier = { id: 'company_9', key: 's' };
    const file = { id: 'later', fileName: 'later.csv', reading: '{}' };
    const id = await approvals.beginImport('q4', { file, number: run.number, authors: ['alice'], supplier: 's' });
    await portfolios.setSupplier('q4', supplier, id);
    expect(await approvals.close({ portfolio: 'q4', id }, ALWAYS)).toBe('waiting');
    await run.end();
  }
});
