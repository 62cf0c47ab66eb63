import { readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ARCHIVE_STEPS, type ArchiveProgress } from '../../../jobs/archive/archive-deps.ts';
import { archivePortfolio, mayBeArchived } from '../../../jobs/archive/archive-portfolio.ts';
import { ACCOUNT, differences, NEVER, openArchiving, putBackPlainly } from '../../support/archive.ts';
import { bundled } from '../../support/bundle.ts';
import { startScript } from '../../support/command.ts';
import { redisUrl } from '../../support/redis/own-database.ts';

const ARCHIVE_PROCESS = bundled('archive-process');

// Promises: killed-archive-goes-on, stopped-archive-changes-nothing
test('archiving killed at any moment is resumed or repeated without loss', async () => {
  const own = await openArchiving();
  const { dump, fill, archive, connection, keys, foldersOf, archiveState } = own;
  const met = new Set<string>();
  for (let moment = 1; ; moment += 1) {
    const name = `m${moment}`;
    await fill(name, 3);
    const before = await dump(`:${name}`);
    const { deps, die } = own.otherProcess();
    let passed = 0;
    const killed = new Promise<boolean>((resolve) => {
      const onProgress = ({ step }: ArchiveProgress): void | Promise<void> => {
        passed += 1;
        if (passed < moment) return;
        met.add(step);
        // The process is stopped here, and sends no heartbeat either.
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
    expect(differences(before, await dump(`:${name}`)), `killed at moment ${moment}`).toEqual({});
  }
  expect([...met]).toEqual(ARCHIVE_STEPS);
});

test('archiving killed while rows leave Redis is resumed by the next process', async () => {
  const { fill, archive, connection, keys, dataDir } = await openArchiving();
  await fill('q4', 205);
  const [prefix = ''] = keys.account.slice(1).split(':');
  const { child, ended } = startScript(ARCHIVE_PROCESS, [redisUrl(), prefix, ACCOUNT, dataDir, 'q4', '100'], {
    cwd: dataDir,
  });
  await ended;
  expect(child.signalCode).toBe('SIGKILL');
  const left = await connection.zcard(keys.rowsInState('q4', 'done'));
  expect(left).toBe(105);
  // The lease of the killed process ends without it.
  expect(await connection.pttl(keys.archivesTaken)).toBeLessThanOrEqual(8_000);
  await connection.del(keys.archivesTaken);
  expect(await archive('q4')).toMatchObject({ resumed: true, rows: 205 });
  expect(await connection.exists(keys.row('q4', 'q4-205'))).toBe(0);
});

test('archiving that loses Redis at any step is completed by the next call', async () => {
  const own = await openArchiving();
  const { fill, archive, connection, keys, foldersOf, archiveState } = own;
  for (const at of ['begun', 'writing', 'comparing', 'naming', 'leaving', 'taking rows out', 'ending'] as const) {
    const name = at.replaceAll(' ', '-');
    await fill(name, 3);
    const { deps, die } = own.otherProcess();
    const onProgress = ({ step }: ArchiveProgress) => {
      if (step === at) die();
    };
    await expect(archivePortfolio(deps, name, { by: 'me', signal: NEVER, onProgress }), at).rejects.toThrow();
    await connection.del(keys.archivesTaken);
    await archive(name);
    const { is, id } = await archiveState(name);
    expect([is, await foldersOf(name)], at).toEqual(['archived', [id]]);
  }
});

// Promise: one-archives-at-a-time
test('of two simultaneous calls one archives, and the other is refused', async () => {
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

// Promise: stopped-archive-changes-nothing
test('archiving stopped before its rows leave changes nothing, and stopped later can be resumed', async () => {
  const { dump, fill, deps, connection, keys, archiveState, foldersOf, archive } = await openArchiving();
  await fill('q4', 3);
  const before = await dump(':q4');
  const endedAt = (at: string) => {
    const ending = new AbortController();
    const onProgress = ({ step }: ArchiveProgress) => {
      if (step === at) ending.abort(new Error('SIGINT came'));
    };
    return archivePortfolio(deps, 'q4', { by: 'me', signal: ending.signal, onProgress });
  };
  for (const step of ['begun', 'writing', 'comparing', 'naming', 'leaving']) {
    await expect(endedAt(step), step).rejects.toMatchObject({
      code: 'STOPPED',
      message: expect.stringMatching(/is as it was/),
    });
    expect(differences(before, await dump(':q4')), step).toEqual({});
    expect(await foldersOf('q4'), step).toEqual([]);
  }
  await expect(endedAt('taking rows out')).rejects.toMatchObject({
    code: 'STOPPED',
    message: expect.stringMatching(/again to go on/),
  });
  expect(await archiveState('q4')).toMatchObject({ is: 'leaving' });
  expect(await connection.zscore(keys.archives, 'q4')).not.toBeNull();
  await mayBeArchived(deps, 'q4');
  expect(await archive('q4')).toMatchObject({ resumed: true, rows: 3 });
});

// Promise: killed-archive-goes-on
test('archiving is not resumed if its files are damaged, and keeps the remaining rows in Redis', async () => {
  const { dump, fill, deps, connection, keys, folderOf, archiveState, archive } = await openArchiving();
  await fill('q4', 3);
  const ending = new AbortController();
  const onProgress = ({ step }: ArchiveProgress) => {
    if (step === 'taking rows out') ending.abort(new Error('SIGINT came'));
  };
  await archivePortfolio(deps, 'q4', { by: 'me', signal: ending.signal, onProgress }).catch(() => {});
  const before = await dump(':q4');
  const folder = folderOf('q4', (await archiveState('q4')).id);
  for (const file of await readdir(folder)) {
    const bytes = await readFile(join(folder, file));
    await truncate(join(folder, file), bytes.length - 10);
    await expect(archive('q4'), file).rejects.toMatchObject({ code: 'FILE', message: expect.stringContaining(file) });
    expect(differences(before, await dump(':q4')), file).toEqual({});
    await writeFile(join(folder, file), bytes);
  }
  expect(await archive('q4')).toMatchObject({ resumed: true });
  expect(await connection.exists(keys.row('q4', 'q4-1'))).toBe(0);
});
