import { execFileSync } from 'node:child_process';
import { copyFile, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { ARCHIVE_FILES } from '../../../jobs/archive/archive-files.ts';
import { forgetPortfolio } from '../../../jobs/archive/forget-portfolio.ts';
import { lookAtArchive } from '../../../jobs/archive/look-at-archive.ts';
import { MANIFEST } from '../../../jobs/archive/manifest.ts';
import { namesInArchives } from '../../../jobs/archive/named-digests.ts';
import { RESTORE_STEPS, type RestoreProgress, restorePortfolio } from '../../../jobs/archive/restore-portfolio.ts';
import { lookThrough } from '../../../jobs/nightly/reconcile.ts';
import { openFinishedPortfolio } from '../../support/finished-portfolio.ts';
import { changedIn } from '../../support/redis-picture.ts';
import { buyerLines, exportedText } from '../../support/workplace.ts';

// Promise: restored-byte-for-byte
test('a restored portfolio is equal byte for byte, in its old place, also after a second round', async () => {
  const { archive, restore, picture, import: bring, finish, context, report } = await openFinishedPortfolio(20);
  await bring(['name,country_code,requested_limit', 'Later AG,DE,5'], { portfolio: 'later' });
  await finish('later');
  const [before, reported, results] = [await picture(), await report(), await exportedText(context)];
  for (let time = 0; time < 2; time += 1) {
    const { folder, id } = await archive();
    expect(await context.portfolios.names()).toEqual(['later']);
    expect(await restore()).toEqual({
      ...{ portfolio: 'q4', id, folder, rows: 20, resumed: false },
      states: reported.states,
    });
    expect(changedIn(before, await picture())).toEqual([]);
    expect(await context.portfolios.names()).toEqual(['q4', 'later']);
    expect(await context.archives.list()).toEqual([]);
  }
  expect(await report()).toEqual(reported);
  expect(await exportedText(context)).toBe(results);
});

test('a decline stored with a row by an earlier version is attached to the request after the restore', async () => {
  const { archive, restore, context } = await openFinishedPortfolio(20);
  const { ledger, keys } = context;
  const [refused] = await context.rows.inState('q4', 'refused', { count: 1 });
  const row = refused?.row ?? { portfolio: '', key: '' };
  await ledger.hset(keys.row('q4', row.key), 'declined', 'an-approval');
  await archive();
  await restore();
  expect(await context.approvals.declined([row])).toEqual(new Set([row]));
  expect(await ledger.hexists(keys.row('q4', row.key), 'declined')).toBe(0);
});

// Promise: killed-restore-goes-on
test('a restore killed at any step is resumed, and the portfolio is complete', async () => {
  const { archive, restore, picture, context } = await openFinishedPortfolio(7);
  const before = await picture();
  for (const step of RESTORE_STEPS) {
    await archive();
    const archived = await picture();
    const killed = new Error(`killed at ${step}`);
    const die = (progress: RestoreProgress) => {
      if (progress.step === step) throw killed;
    };
    await expect(restore('q4', die)).rejects.toBe(killed);
    if (step === 'checking' || step === 'begun') expect(changedIn(archived, await picture())).toEqual([]);
    const at = await context.archives.read('q4');
    if (step !== 'ended') expect(await restore()).toMatchObject({ resumed: at?.is === 'restoring', rows: 7 });
    expect(changedIn(before, await picture()), step).toEqual([]);
  }
});

// Promise: killed-restore-goes-on
test('a restore stopped between two pages of rows throws, and the next one resumes it', async () => {
  const { archive, restore, picture } = await openFinishedPortfolio(120);
  const before = await picture();
  await archive();
  const stop = new AbortController();
  const stopAt = ({ step, rows }: RestoreProgress) => {
    if (step === 'rows' && rows >= 100) stop.abort();
  };
  const message = expect.stringContaining('again to go on');
  await expect(restore('q4', stopAt, stop.signal)).rejects.toMatchObject({ code: 'STOPPED', message });
  await restore();
  expect(changedIn(before, await picture())).toEqual([]);
});

test('a delayed restore changes nothing after another process took over', async () => {
  const { archive, restore, picture, context } = await openFinishedPortfolio(7);
  const before = await picture();
  await archive();
  let second: Promise<unknown> | undefined;
  const standStill = async ({ step }: RestoreProgress) => {
    if (step !== 'rest' || second) return;
    await context.ledger.del(context.keys.archivesTaken);
    const reached = Promise.withResolvers<void>();
    const goesOn = Promise.withResolvers<void>();
    second = restore('q4', async (other) => {
      if (other.step !== 'ending') return;
      reached.resolve();
      await goesOn.promise;
    });
    await reached.promise;
    letGo = goesOn.resolve;
  };
  let letGo = () => {};
  await expect(restore('q4', standStill)).rejects.toMatchObject({
    message: expect.stringContaining('by now: nothing more'),
  });
  letGo();
  expect(await second).toMatchObject({ rows: 7, resumed: true });
  expect(changedIn(before, await picture())).toEqual([]);
});

/** An archived portfolio, `q4` by default, and a decision on its first limit that was made afterwards. */
async function openDecidedMeanwhile(name = 'q4') {
  const place = await openFinishedPortfolio(1);
  const { context, archive } = place;
  if (name !== 'q4') await place.import(buyerLines(1), { portfolio: name });
  await archive(name);
  const limit = await context.decisions.find('bl_q41');
  if (!limit) throw new Error('There is no such limit.');
  const at = new Date(Date.now() + 120_000).toISOString();
  const word = { limit: 'bl_q41', status: 'declined', total: '0', available: '0', at, isDated: true };
  expect(await context.decisions.decide(limit, word, { by: 'anna', file: 'l.csv' })).toBe('taken');
  return place;
}

test.each(['restored again', 'checked by night'])(
  'rows get decisions made during the archive even if the restore was killed at its end, if it is %s',
  async (how) => {
    const { context, restore } = await openDecidedMeanwhile();
    const find = () => Promise.reject(new Error('killed'));
    const signal = new AbortController().signal;
    const rows = { ...context.rows, inState: find, read: find };
    await expect(restorePortfolio({ ...context, rows }, 'q4', { signal })).rejects.toThrow('killed');
    expect((await context.portfolios.read('q4')).statuses).toEqual({ approved: 1 });
    if (how === 'checked by night') await lookThrough(context, { found: () => {} }, { atMs: Date.now(), signal });
    else await expect(restore()).rejects.toThrow('q4 is not archived: all of it is in Redis.');
    expect((await context.portfolios.read('q4')).statuses).toEqual({ declined: 1 });
    expect(await context.ledger.exists(context.keys.toFollow)).toBe(0);
  },
);

test('rows get decisions made during the archive even if the portfolio that made their limit was forgotten', async () => {
  const { context, restore } = await openDecidedMeanwhile('again');
  const { state } = await forgetPortfolio('q4', { by: 'x', signal: new AbortController().signal }, context);
  expect(state.is).toBe('forgotten');
  await restore('again');
  expect((await context.portfolios.read('again')).earlierStatuses).toEqual({ declined: 1 });
});

describe('nothing is restored, and the error gives the reason, if', () => {
  // Promise: damaged-archive-not-restored
  test('a file is missing, truncated, or changed by one byte', async () => {
    const { archive, restore, picture } = await openFinishedPortfolio(3);
    const { folder } = await archive();
    const before = await picture();
    for (const file of [...ARCHIVE_FILES, MANIFEST]) {
      const path = join(folder, file);
      const whole = await readFile(path);
      const other = Buffer.from(whole);
      other[other.length - 12] = (other[other.length - 12] ?? 0) ^ 1;
      for (const damaged of [undefined, whole.subarray(0, 60), other]) {
        if (damaged === undefined) await rm(path);
        else await writeFile(path, damaged);
        const fault = { code: 'FILE', message: expect.stringContaining(file) };
        await expect(restore(), file).rejects.toMatchObject(fault);
      }
      await writeFile(path, whole);
    }
    expect(changedIn(before, await picture())).toEqual([]);
    expect(await restore()).toMatchObject({ rows: 3, resumed: false });
  });

  // Promise: damaged-archive-not-restored
  test('a file is a pipe or a device, which is not waited for; the check by night does not wait either', async () => {
    const { archive, restore, context } = await openFinishedPortfolio(3);
    const { folder } = await archive();
    const [archived] = await context.archives.list();
    for (const file of [...ARCHIVE_FILES, MANIFEST]) {
      const path = join(folder, file);
      const whole = await readFile(path);
      for (const device of ['', '/dev/zero']) {
        await rm(path);
        if (device) await symlink(device, path);
        else execFileSync('mkfifo', [path]);
        const message = expect.stringContaining(`${file} cannot be read: it is a pipe or a device`);
        await expect(restore(), file).rejects.toMatchObject({ code: 'FILE', message });
        const place = { account: context.account, dataDir: context.settings.LIMITLINE_DATA };
        const { signal } = new AbortController();
        const fault = archived && (await lookAtArchive(archived, place, { wholly: true, signal }));
        expect(fault).toMatchObject({ is: 'changed', detail: expect.stringContaining(file) });
        const names = { dir: join(place.dataDir, 'archive'), file, signal };
        expect(await namesInArchives(names, () => true)).toBe(false);
      }
      await rm(path);
      await writeFile(path, whole);
    }
    expect(await restore()).toMatchObject({ rows: 3, resumed: false });
  });

  // Promise: damaged-archive-not-restored
  test('the files belong to another portfolio or installation', async () => {
    const { archive, restore, picture, import: bring, finish } = await openFinishedPortfolio(3);
    await bring(['name,country_code,requested_limit', 'Other AG,DE,5'], { portfolio: 'other' });
    await finish('other');
    const [{ folder }, other] = [await archive(), await archive('other')];
    const theirs = await openFinishedPortfolio(3);
    const elsewhere = await theirs.archive();
    const before = await picture();
    for (const foreign of [other.folder, elsewhere.folder]) {
      for (const file of [...ARCHIVE_FILES, MANIFEST]) await copyFile(join(foreign, file), join(folder, file));
      const fault = { code: 'FILE', message: expect.stringContaining(MANIFEST) };
      await expect(restore()).rejects.toMatchObject(fault);
    }
    expect(changedIn(before, await picture())).toEqual([]);
  });

  test('Redis has too little memory left below its limit', async () => {
    const { archive, restore, picture, context } = await openFinishedPortfolio(3);
    await archive();
    const before = await picture();
    const info = vi.spyOn(context.ledger, 'info').mockResolvedValue('maxmemory:1000000\r\nused_memory:999999\r\n');
    const fault = { code: 'USAGE', message: expect.stringMatching(/lacks room.*0\.0 MB of its maxmemory are left/) };
    await expect(restore()).rejects.toMatchObject(fault);
    expect(changedIn(before, await picture())).toEqual([]);
    info.mockResolvedValue('maxmemory:100000000\r\nused_memory:999999\r\n');
    expect(await restore()).toMatchObject({ rows: 3 });
  });

  // Promise: one-archives-at-a-time
  test('the portfolio is not archived or unknown, or another process archives or restores', async () => {
    const { restore, archive, context } = await openFinishedPortfolio(3);
    await expect(restore()).rejects.toMatchObject({ code: 'USAGE', message: expect.stringContaining('not archived') });
    await expect(restore('none')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await archive();
    const other = restorePortfolio(context, 'q4', {
      signal: new AbortController().signal,
      onProgress: async ({ step }) => {
        if (step !== 'begun') return;
        const message = expect.stringContaining('by another process');
        await expect(restore()).rejects.toMatchObject({ code: 'USAGE', message });
      },
    });
    expect(await other).toMatchObject({ rows: 3 });
  });
});
