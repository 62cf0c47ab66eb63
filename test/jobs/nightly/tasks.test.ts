import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { restorePortfolio } from '../../../jobs/archive/restore-portfolio.ts';
import type { TakenIn } from '../../../jobs/inbox/take-in.ts';
import { archiveOld, inboxResult, nightlyTasks, takeInDropped } from '../../../jobs/nightly/tasks.ts';
import { walkRows } from '../../../jobs/rows/walk-rows.ts';
import { runNights } from '../../../scripts/nightly/run-nights.ts';
import type { TakenFile } from '../../../src/ledger/inbox/inbox.ts';
import { takeLease } from '../../../src/ledger/schema/lease.ts';
import { endRow } from '../../support/finished-portfolio.ts';
import { openInbox } from '../../support/inbox.ts';
import { makeNotedAudit } from '../../support/noted-audit.ts';
import { DAY_MS, nightAt } from '../../support/retried-rows.ts';
import { buyerLines, openWorkplace } from '../../support/workplace.ts';

/** A workplace that keeps finished portfolios for thirty days, and its archive nights, so many days from now. */
async function openKept(env: Record<string, string> = { LIMITLINE_KEEP_DAYS: '30' }) {
  const place = await openWorkplace({ env });
  const audit = makeNotedAudit();
  const { context } = place;
  const night = (inDays: number, signal?: AbortSignal) =>
    archiveOld(nightAt(Date.now() + inDays * DAY_MS, signal), { ...context, audit });
  /** An empty portfolio, which is finished at once. */
  const finished = async (name: string) => {
    await (await context.portfolios.startImport(name, { id: 'i', fileName: 'f.csv', reading: '{}' })).end();
  };
  const standing = async (name: string) => (await context.archives.read(name))?.is;
  return { ...place, audit, night, finished, standing };
}

// Promise: old-portfolios-archived
test('portfolios finished long ago are archived, oldest first, and younger or busy ones stay', async () => {
  const { night, finished, standing, audit, context, ...place } = await openKept();
  for (const name of ['one', 'two']) await finished(name);
  await context.ledger.hincrby(context.keys.portfolio('two'), 'finished', -60_000);
  await place.import(buyerLines(1), { portfolio: 'at work' });
  expect(await night(29)).toEqual({ is: 'well', words: 'No portfolio was finished more than 30 days ago.' });
  expect(await night(31)).toEqual({ is: 'well', words: '2 portfolios archived.' });
  expect(await Promise.all(['one', 'two', 'at work'].map(standing))).toEqual(['archived', 'archived', undefined]);
  const told = audit.noted.map(({ by, what, about, came }) => ({ by, what, about, rows: came?.rows }));
  const archived = { by: 'nightly', what: 'portfolio archived', rows: 0 };
  expect(told).toEqual([
    { ...archived, about: 'two' },
    { ...archived, about: 'one' },
  ]);
  expect(await night(31)).toMatchObject({ is: 'well', words: 'No portfolio was finished more than 30 days ago.' });
});

test('a portfolio imported into and finished again during the night is not archived', async () => {
  const { finished, standing, audit, context } = await openKept();
  for (const name of ['one', 'two']) await finished(name);
  await context.ledger.hincrby(context.keys.portfolio('one'), 'finished', -60_000);
  const atMs = Date.now() + 31 * DAY_MS;
  const around: typeof audit.around = async (note, run, ...more) => {
    if (note.about === 'one') await context.ledger.hset(context.keys.portfolio('two'), 'finished', atMs - 1_000);
    return audit.around(note, run, ...more);
  };
  const deps = { ...context, audit: { around } };
  expect(await archiveOld(nightAt(atMs), deps)).toEqual({ is: 'well', words: '1 portfolio archived.' });
  expect([await standing('one'), await standing('two')]).toEqual(['archived', undefined]);
});

// Promise: restored-kept-as-long
test('a restored portfolio is kept as long as a newly finished one', async () => {
  const { night, finished, standing, context } = await openKept();
  await finished('q4');
  await night(31);
  await restorePortfolio(context, 'q4', { signal: new AbortController().signal });
  await context.ledger.hincrby(context.keys.portfolio('q4'), 'finished', -100 * DAY_MS);
  expect(await night(29)).toMatchObject({ words: 'No portfolio was finished more than 30 days ago.' });
  expect(await standing('q4')).toBeUndefined();
  expect(await night(31)).toEqual({ is: 'well', words: '1 portfolio archived.' });
});

// Promise: busy-archive-tried-again
test('the night fails while another process archives, and its next try archives', async () => {
  const { night, finished, standing, context } = await openKept();
  await finished('q4');
  const lease = await takeLease({ connection: context.ledger, key: context.keys.archivesTaken, holder: 'another' });
  expect(await night(31)).toEqual({ is: 'failed', words: expect.stringContaining('by another process') });
  await lease?.release();
  expect(await night(31)).toEqual({ is: 'well', words: '1 portfolio archived.' });
  expect(await standing('q4')).toBe('archived');
});

test('archiving runs as a task of the schedule', async () => {
  const { context, finished, standing } = await openKept();
  await finished('q4');
  const atMs = Date.now() + 31 * DAY_MS;
  const night = { task: 'archive', id: new Date(atMs).toISOString(), atMs, by: 'ana' } as const;
  const [ended] = await runNights([night], context, { signal: new AbortController().signal });
  expect(ended?.end).toMatchObject({ is: 'well', words: '1 portfolio archived.', by: 'ana' });
  expect(await standing('q4')).toBe('archived');
  expect((await context.archives.read('q4'))?.by).toBe('ana');
});

// Promise: nothing-archived-unset
test('without LIMITLINE_KEEP_DAYS nothing is archived, and the result says so', async () => {
  const { night, finished, standing } = await openKept({});
  await finished('q4');
  expect(await night(10_000)).toMatchObject({ is: 'well', words: expect.stringContaining('LIMITLINE_KEEP_DAYS') });
  expect(await standing('q4')).toBeUndefined();
});

// Promise: held-keeps-from-archive
test('a portfolio with held rows is not archived, and does not stop the others', async () => {
  const { night, finished, standing, context } = await openKept();
  for (const name of ['held', 'other']) await finished(name);
  await context.ledger.zadd(context.keys.rowsInState('held', 'held'), 2, 'a row');
  expect(await night(31)).toEqual({
    is: 'well',
    words:
      '1 portfolio archived. 1 portfolio left, with held rows (held). To say what became of held calls, write those of a portfolio to a file (npx limitline portfolios says which have some): npx limitline report NAME --state held --like-input --out held.csv; in its column id, write the id of what was made, or resend; then run: npx limitline resolve NAME --from held.csv.',
  });
  expect([await standing('held'), await standing('other')]).toEqual([undefined, 'archived']);
});

// Promise: archived-under-review-is-said
test('a portfolio with rows under review is archived, and the result names it', async () => {
  const { night, finished, context, ...place } = await openKept();
  await finished('other');
  await place.import(buyerLines(1), { portfolio: 'open' });
  await walkRows(context.rows, 'open', 'queued', ({ row, result: { request } }) =>
    endRow({ row, buyer: request.buyer, id: row.key }, { record: { status: 'in_progress' } }, context),
  );
  await context.statusMeanings.set('in_progress', 'review');
  expect(await night(31)).toEqual({
    is: 'well',
    words:
      '2 portfolios archived. Rows of open were under review: decisions are taken in as before, and the rows show them once restored.',
  });
});

test('a portfolio that was archived is not said to have failed because Redis is away afterwards', async () => {
  const { finished, standing, audit, context } = await openKept();
  await finished('one');
  const read = async () => {
    if ((await standing('one')) === 'archived') throw new Error('Redis is away');
    return context.statusMeanings.read();
  };
  const deps = { ...context, audit, statusMeanings: { read } };
  const night = nightAt(Date.now() + 31 * DAY_MS);
  expect(await archiveOld(night, deps)).toEqual({ is: 'well', words: '1 portfolio archived.' });
});

// Promise: unarchivable-stops-no-other
test('an archive folder that cannot be written fails the night with one message, and the next try archives', async () => {
  const { night, finished, standing, context } = await openKept();
  for (const name of ['one', 'two']) await finished(name);
  const folder = join(context.settings.LIMITLINE_DATA, 'archive');
  await mkdir(context.settings.LIMITLINE_DATA, { recursive: true });
  await writeFile(folder, 'no folder');
  const { is, words } = await night(31);
  expect(is).toBe('failed');
  expect(words).toMatch(/^2 portfolios could not be archived: .*No portfolio was archived\.$/);
  expect([await standing('one'), await standing('two')]).toEqual([undefined, undefined]);
  await rm(folder);
  expect(await night(31)).toEqual({ is: 'well', words: '2 portfolios archived.' });
});

// Promises: killed-archiving-continues, begun-archiving-goes-on
test.each([
  ['however young the portfolio is', { LIMITLINE_KEEP_DAYS: '30' }],
  ['even without LIMITLINE_KEEP_DAYS', {}],
])('archiving that a killed process began is finished, %s', async (_when, env) => {
  const { night, finished, standing, context } = await openKept(env);
  await finished('begun');
  await finished('other');
  const state = { is: 'archiving', id: 'gone', by: 'ana', sinceMs: 1, startedMs: 1, finishedMs: 1 };
  await context.ledger.hset(context.keys.portfolio('begun'), 'archive', JSON.stringify(state));
  expect(await night(0)).toEqual({ is: 'well', words: '1 portfolio archived.' });
  expect([await standing('begun'), await standing('other')]).toEqual(['archived', undefined]);
});

test('archiving stops with its signal and changes nothing', async () => {
  const { night, finished, standing } = await openKept();
  await finished('q4');
  await expect(night(31, AbortSignal.abort(new Error('stopping')))).rejects.toThrow('stopping');
  expect(await standing('q4')).toBeUndefined();
});

test('a host whose clock is a year ahead cuts off no audit entry that is young by the clock of Redis', async () => {
  const { context } = await openWorkplace();
  await context.audit.note({ by: 'alice', what: 'rows retried', from: 'test', about: 'q4' });
  const atMs = Date.now() + 366 * DAY_MS;
  const printReport = () => [];
  const cutting = nightlyTasks({ ...context, printReport, days: 365 }).find(({ name }) => name === 'audit');
  vi.spyOn(Date, 'now').mockReturnValue(atMs);
  expect(await cutting?.run(nightAt(atMs))).toEqual({ is: 'well', words: 'No audit entry is older than 365 days.' });
});

const NOTHING: TakenIn = { files: [], lying: [], results: [], isElsewhere: false };
const file = (is: TakenFile['is'], changes: Partial<TakenFile> = {}): TakenFile => {
  return { id: 'x', folder: 'f', name: 'x.csv', documents: [], portfolio: 'x', atMs: 0, words: '', is, ...changes };
};
const found = { lines: 4, rows: 1, invalid: 2, duplicate: 1 };

test.each<[Partial<TakenIn>, string, string]>([
  [{}, 'well', 'Nothing lay in the drop folder.'],
  [{ isElsewhere: true }, 'well', 'Another process is taking in what lies in the drop folder.'],
  [{ files: [file('imported'), file('again')] }, 'well', 'Drop folder: 1 file imported, 1 file imported before.'],
  [{ files: [file('imported', { found })] }, 'findings', 'Drop folder: 1 file imported, 3 lines led to no row.'],
  [
    { files: [file('rejected')], results: ['q4'] },
    'findings',
    'Drop folder: 1 file rejected, results of 1 portfolio written there.',
  ],
  [{ lying: [{ name: 'a', why: '', writtenMs: 0, leftMs: 5 }] }, 'well', 'Drop folder: 1 file still being written.'],
  [
    { lying: [{ name: 'a', why: '', writtenMs: 0, leftMs: undefined }] },
    'findings',
    'Drop folder: 1 file could not be imported yet.',
  ],
])('%j is %s: %s', (taken, is, words) => expect(inboxResult({ ...NOTHING, ...taken })).toEqual({ is, words }));

test('the drop folder task reports that LIMITLINE_INBOX is not set, or that the folder is empty', async () => {
  const { source } = await openInbox();
  const without = { ...source, settings: { ...source.settings, LIMITLINE_INBOX: undefined } };
  expect(await takeInDropped(without, nightAt(0))).toMatchObject({
    is: 'well',
    words: expect.stringMatching(/LIMITLINE_INBOX is not set/),
  });
  expect(await takeInDropped(source, nightAt(0))).toMatchObject({ words: 'Nothing lay in the drop folder.' });
});
