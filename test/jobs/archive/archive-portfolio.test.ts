import { mkdir, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { ARCHIVE_STEPS, type ArchiveProgress } from '../../../jobs/archive/archive-deps.ts';
import { ARCHIVE_FILES } from '../../../jobs/archive/archive-files.ts';
import { archivePortfolio, mayBeArchived } from '../../../jobs/archive/archive-portfolio.ts';
import { MANIFEST } from '../../../jobs/archive/manifest.ts';
import { NEVER, openArchiving, putBackPlainly } from '../../support/archive.ts';
import { differences, dumpRedis } from '../../support/redis-dump.ts';

test('what is archived leaves Redis but for its hash, and comes back from the files byte for byte', async () => {
  const { fill, archive, connection, keys, foldersOf } = await openArchiving();
  await fill('q4', 205);
  await fill('other', 2);
  const before = await dumpRedis(connection, keys.account.slice(0, 20));
  const { folder, rows, id } = await archive('q4');
  expect(rows).toBe(205);
  const names = [...(await dumpRedis(connection, ':q4')).keys()];
  expect(names.filter((key) => !key.includes(':buyer:'))).toEqual([keys.portfolio('q4')]);
  expect(await connection.hkeys(keys.portfolio('q4'))).toEqual(expect.arrayContaining(['archive', 'started']));
  expect(await connection.zrange(keys.portfolios, '0', '-1')).toEqual(['other']);
  expect(await foldersOf('q4')).toEqual([id]);
  await putBackPlainly(folder, 'q4', { connection, keys });
  expect(differences(before, await dumpRedis(connection, keys.account.slice(0, 20)))).toEqual({});
});

test('the files are for their owner alone, and the manifest says what is in each', async () => {
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

describe('a portfolio stays as it was, and nothing of its archive is left, where', () => {
  /** Archives with something done at one step; expects a fault, and all as before. */
  async function failing(at: (progress: ArchiveProgress, part: string) => Promise<void> | void, rows = 3) {
    const own = await openArchiving();
    await own.fill('q4', rows);
    const before = await dumpRedis(own.connection, keys(own));
    const onProgress = async (progress: ArchiveProgress) => {
      const state = await own.archiveState('q4');
      await at(progress, `${own.folderOf('q4', state.id)}.part`);
    };
    const fault = await archivePortfolio(own.deps, 'q4', { by: 'me', signal: NEVER, onProgress }).then(
      () => undefined,
      (error) => error,
    );
    expect(differences(before, await dumpRedis(own.connection, keys(own)))).toEqual({});
    expect(await own.foldersOf('q4')).toEqual([]);
    // And then it can be archived.
    await own.archive('q4');
    return fault;
  }
  const keys = (own: Awaited<ReturnType<typeof openArchiving>>) => own.keys.account.slice(0, 20);
  const atStep = (step: string, act: (part: string) => Promise<unknown>) => {
    let isDone = false;
    return async (progress: ArchiveProgress, part: string) => {
      if (progress.step !== step || isDone) return;
      isDone = true;
      await act(part);
    };
  };

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

  test.each(ARCHIVE_FILES)('%s is cut off between writing and comparing', async (file) => {
    const fault = await failing(atStep('comparing', (part) => truncate(join(part, file), 100)));
    expect(fault).toMatchObject({ code: 'FILE', message: expect.stringContaining(file) });
  });

  test('the disk does not take it', async () => {
    const inTheWay = atStep('begun', async (part) => {
      await mkdir(join(part, '..'), { recursive: true });
      await writeFile(part, 'a file where a folder is to be');
    });
    expect(await failing(inTheWay)).toMatchObject({ code: 'FILE' });
  });
});

test('a row that is changed while it is archived is found, and nothing leaves', async () => {
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

test('fields of a row that come in another order are the same row', async () => {
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

test('killed at any moment, the next one goes on or begins anew, and nothing is lost', async () => {
  const own = await openArchiving();
  const { fill, archive, connection, keys, foldersOf, archiveState } = own;
  const met = new Set<string>();
  for (let moment = 1; ; moment += 1) {
    const name = `m${moment}`;
    await fill(name, 3);
    const before = await dumpRedis(connection, `:${name}`);
    const { deps, die } = own.otherProcess();
    let passed = 0;
    const killed = new Promise<boolean>((resolve) => {
      const onProgress = ({ step }: ArchiveProgress): void | Promise<void> => {
        passed += 1;
        if (passed < moment) return;
        met.add(step);
        // It goes on no more, and gives no sign of life either.
        die();
        resolve(true);
        return new Promise(() => {});
      };
      archivePortfolio(deps, name, { by: 'me', signal: NEVER, onProgress }).then(() => resolve(false));
    });
    const isKilled = await killed;
    await connection.del(keys.archivesTaken);
    if (!isKilled) break;
    if ((await archiveState(name)).is !== 'archived') await archive(name);
    const state = await archiveState(name);
    expect(state, `killed at moment ${moment}`).toMatchObject({ is: 'archived', states: { done: 3 } });
    expect(await foldersOf(name), `killed at moment ${moment}`).toEqual([state.id]);
    await putBackPlainly(own.folderOf(name, state.id), name, { connection, keys });
    expect(differences(before, await dumpRedis(connection, `:${name}`)), `killed at moment ${moment}`).toEqual({});
  }
  expect([...met]).toEqual(ARCHIVE_STEPS);
});

test('of two at once one works, and the other says so', async () => {
  const { fill, deps, archive } = await openArchiving();
  await fill('q4', 3);
  let second: Promise<unknown> | undefined;
  const onProgress = async ({ step }: ArchiveProgress) => {
    if (step !== 'writing' || second) return;
    second = archive('q4');
    await second.catch(() => {});
  };
  await archivePortfolio(deps, 'q4', { by: 'me', signal: NEVER, onProgress });
  await expect(second).rejects.toMatchObject({ code: 'USAGE', message: expect.stringContaining('by another process') });
});

test('ended by a signal before its rows leave, it is as it was; later, the next one goes on', async () => {
  const { fill, deps, connection, keys, archiveState, foldersOf, archive } = await openArchiving();
  await fill('q4', 3);
  const before = await dumpRedis(connection, ':q4');
  const endedAt = (at: string) => {
    const ending = new AbortController();
    const onProgress = ({ step }: ArchiveProgress) => {
      if (step === at) ending.abort(new Error('SIGINT came'));
    };
    return archivePortfolio(deps, 'q4', { by: 'me', signal: ending.signal, onProgress });
  };
  for (const step of ['begun', 'writing', 'comparing', 'naming', 'leaving']) {
    await expect(endedAt(step), step).rejects.toMatchObject({ code: 'STOPPED', message: /is as it was/ });
    expect(differences(before, await dumpRedis(connection, ':q4')), step).toEqual({});
    expect(await foldersOf('q4'), step).toEqual([]);
  }
  await expect(endedAt('taking rows out')).rejects.toMatchObject({ code: 'STOPPED', message: /again to go on/ });
  expect(await archiveState('q4')).toMatchObject({ is: 'leaving' });
  expect(await connection.zscore(keys.archives, 'q4')).not.toBeNull();
  await mayBeArchived(deps, 'q4');
  expect(await archive('q4')).toMatchObject({ resumed: true, rows: 3 });
});

test('where its files are gone or changed in the middle, nothing more is taken out of Redis', async () => {
  const { fill, deps, connection, keys, folderOf, archiveState, archive } = await openArchiving();
  await fill('q4', 3);
  const ending = new AbortController();
  const onProgress = ({ step }: ArchiveProgress) => {
    if (step === 'taking rows out') ending.abort(new Error('SIGINT came'));
  };
  await archivePortfolio(deps, 'q4', { by: 'me', signal: ending.signal, onProgress }).catch(() => {});
  const before = await dumpRedis(connection, ':q4');
  const folder = folderOf('q4', (await archiveState('q4')).id);
  for (const file of await readdir(folder)) {
    const bytes = await readFile(join(folder, file));
    await truncate(join(folder, file), bytes.length - 10);
    await expect(archive('q4'), file).rejects.toMatchObject({ code: 'FILE', message: expect.stringContaining(file) });
    expect(differences(before, await dumpRedis(connection, ':q4')), file).toEqual({});
    await writeFile(join(folder, file), bytes);
  }
  expect(await archive('q4')).toMatchObject({ resumed: true });
  expect(await connection.exists(keys.row('q4', 'q4-1'))).toBe(0);
});

test('an archive of before goes when the next one is there, and that of another ledger stays', async () => {
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

describe('a portfolio is not archived, and it is said what to do first, where', () => {
  test.each([
    ['it is not there', async () => {}, 'NOT_FOUND', 'There is no portfolio'],
    ['rows are open', (own: Own) => own.fillOpen('queued'), 'USAGE', '1 row of q4 is still to be worked on'],
    ['rows are held', (own: Own) => own.fillOpen('held'), 'USAGE', 'npx limitline resolve "q4"'],
    ['a file is being imported', (own: Own) => own.fillOpen('importing'), 'USAGE', 'is being imported into q4'],
    ['it is archived', (own: Own) => own.fillOpen('archived'), 'USAGE', 'limitline restore q4'],
  ] as const)('%s', async (_where, prepare, code, words) => {
    const own = await openArchiving();
    await prepare({ fillOpen: (state) => fillOpen(own, state) });
    const before = await dumpRedis(own.connection, own.keys.account.slice(0, 20));
    const fault = { code, message: expect.stringContaining(words) };
    await expect(own.archive('q4')).rejects.toMatchObject(fault);
    await expect(mayBeArchived(own.deps, 'q4')).rejects.toMatchObject(fault);
    expect(differences(before, await dumpRedis(own.connection, own.keys.account.slice(0, 20)))).toEqual({});
  });

  type Own = { fillOpen: (state: 'queued' | 'held' | 'importing' | 'archived') => Promise<void> };

  async function fillOpen(own: Awaited<ReturnType<typeof openArchiving>>, state: string): Promise<void> {
    await own.fill('q4', 1);
    if (state === 'archived') return void (await own.archive('q4'));
    const run = await own.portfolios.startImport('q4', { id: 'other', fileName: 'other.csv', reading: '{}' });
    if (state === 'importing') return;
    const row = { portfolio: 'q4', key: 'open' };
    const { makeRequest } = await import('../../support/ledger.ts');
    await own.rows.put(row, 9, run.number, makeRequest());
    if (state === 'held') {
      await own.rows.begin(row, 'company');
      await own.rows.advance(row, 'company', 'held', { problem: { step: 'company', message: 'nobody knows' } });
    }
    await run.end();
  }
});
