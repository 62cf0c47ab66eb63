import { existsSync, renameSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { finishedResults, forgetKept, keepResults, keptResultsPath } from '../../../jobs/export/leave-results.ts';
import { startKeepingResults } from '../../../jobs/workers/keeping.ts';
import { openFaultPlace } from '../../support/fault-place.ts';
import { filesBelow } from '../../support/files-below.ts';
import { openFinishedPortfolio } from '../../support/finished-portfolio.ts';
import { startKillableRedis } from '../../support/redis/killable-redis.ts';
import { testsBeside } from '../../support/tests-beside.ts';
import { buyerLines, exportedText, makeKeptLog, openWorkplace } from '../../support/workplace.ts';

const beside = testsBeside();

const RESET = { on: 'limit' as const, match: 'HRB 2"', fault: 'reset' as const, made: true, times: 1 };
const signal = new AbortController().signal;
const never = () => false;

/** The number of rows of a results file in this state. */
const countOf = (text: string, state: string) => text.split('\n').filter((line) => line.includes(`,${state},`)).length;
const read = (path: string) => readFile(path, 'utf8').catch(() => '');

// Promise: results-kept-when-settled
beside(
  'each process that settles a portfolio, or finds it settled, stores its results in the data folder',
  async () => {
    const redis = await startKillableRedis();
    const place = await openFaultPlace({ faults: { rules: [RESET] }, env: { REDIS_URL: redis.url } });
    const path = keptResultsPath('q4', place.context);
    await place.import(buyerLines(3));
    // A worker stores the results.
    const working = await place.startCommand(['work', '--until-settled']).ended;
    expect(working).toMatchObject({ status: 0 });
    expect([countOf(await read(path), 'done'), countOf(await read(path), 'held')]).toEqual([2, 1]);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(dirname(path))).toEqual(['q4.results.csv']);
    // The console stores the results if people settle a portfolio without a worker.
    await place.import(buyerLines(5).toSpliced(1, 3), { portfolio: 'q5' });
    const web = place.startCommand(['console']);
    await expect.poll(() => web.output().stderr).toContain('the console listens');
    await place.limitline('cancel', 'q5');
    const other = keptResultsPath('q5', place.context);
    await expect.poll(async () => countOf(await read(other), 'cancelled'), { timeout: 20_000 }).toBe(2);
    web.child.kill('SIGTERM');
    await web.ended;
    // The nightly process stores missing results.
    await rm(path);
    await place.startCommand(['nightly']).ended;
    expect(countOf(await read(path), 'done')).toBe(2);
    expect(await exportedText(place.context, { likeInput: 'cells' })).toBe(await read(path));
  },
);

// Promises: recover-from-kept-results, recover-reads-kept-results, results-kept-each-minute
test('a ledger lost during the work is recovered with the rows of the stored results', async () => {
  const redis = await startKillableRedis();
  const place = await openFaultPlace({ env: { REDIS_URL: redis.url, SERVICE_RATE_PER_S: '20' } });
  const path = keptResultsPath('q4', place.context);
  await place.import(buyerLines(60));
  const keeping = startKeepingResults(place.context, 200);
  const workers = await place.work();
  // The stored results grow during the work.
  const seen = new Set<number>();
  await expect
    .poll(async () => seen.add(countOf(await read(path), 'done')).size, { timeout: 60_000, interval: 100 })
    .toBeGreaterThan(3);
  expect((await place.report()).states.done).toBeLessThan(60);
  await workers.stop();
  await keeping.stop();
  const text = await read(path);
  await redis.admin.flushall();
  // A process that starts now has an empty ledger, and does not overwrite the file.
  await startKeepingResults(place.context).stop();
  expect(await read(path)).toBe(text);
  const recovered = await place.limitline('recover', path, '--apply');
  expect(recovered).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(new RegExp(`limits +${countOf(text, 'done')} put back`)),
  });
});

beside('a new portfolio is stored when its process stops, and not before', async () => {
  const place = await openWorkplace({ env: { SERVICE_RATE_PER_S: '4' } });
  const path = keptResultsPath('q4', place.context);
  const keeping = startKeepingResults(place.context);
  await place.import(buyerLines(24));
  const workers = await place.work();
  // At this pace, the portfolio is checked at least once until then.
  const done = async () => (await place.context.portfolios.read('q4')).states.done;
  await expect.poll(done, { timeout: 60_000, interval: 200 }).toBeGreaterThan(5);
  expect(await read(path)).toBe('');
  await keeping.stop();
  expect(countOf(await read(path), 'done')).toBeGreaterThan(5);
  await workers.stop();
});

// Promise: results-kept-each-minute
beside('two processes that store one portfolio simultaneously leave one complete file', async () => {
  const place = await openFaultPlace();
  const path = keptResultsPath('q4', place.context);
  const deps = { ...place.context, signal };
  await place.import(buyerLines(20));
  const workers = await place.work();
  await place.settled();
  await workers.stop();
  await rm(path, { force: true });
  await Promise.all([place.startCommand(['nightly']).ended, keepResults('q4', never, deps)]);
  expect(await read(path)).toBe(await exportedText(place.context, { likeInput: 'cells' }));
  expect(await readdir(dirname(path))).toEqual(['q4.results.csv']);
  // An up-to-date file is left unchanged.
  const { mtimeMs } = await stat(path);
  const { finishedMs = Number.NaN } = await place.context.portfolios.read('q4');
  expect(await keepResults('q4', (atMs) => atMs >= finishedMs, deps)).toBe(false);
  expect((await stat(path)).mtimeMs).toBe(mtimeMs);
});

// Promise: run-leaves-results
test('run writes the stored results beside its file', async () => {
  const place = await openFaultPlace();
  const lines = buyerLines(4).map((line) => line.replaceAll(',', ';'));
  await writeFile(join(place.dir, 'q4.csv'), `${lines.join('\n')}\n`);
  expect(await place.limitline('run', 'q4.csv')).toMatchObject({ status: 0 });
  const kept = await read(keptResultsPath('q4', place.context));
  expect(countOf(kept.replaceAll(';', ','), 'done')).toBe(4);
  expect(await read(join(place.dir, 'q4.results.csv'))).toBe(kept);
});

// Promise: results-folder-not-writable
test('a data folder that cannot be written is logged, and the work continues', async () => {
  const place = await openWorkplace();
  await mkdir(place.context.settings.LIMITLINE_DATA, { recursive: true });
  await writeFile(join(place.context.settings.LIMITLINE_DATA, 'results'), 'no folder');
  const { log, lines } = makeKeptLog();
  const keeping = startKeepingResults({ ...place.context, log }, 100);
  await place.import(buyerLines(5));
  const workers = await place.work();
  expect((await place.settled()).states.done).toBe(5);
  await keeping.stop();
  await workers.stop();
  expect(lines).toContainEqual(
    expect.objectContaining({
      level: 'warn',
      portfolio: 'q4',
      msg: 'results could not be kept in the data folder; tried again in a minute',
    }),
  );
});

// Promise: forgotten-results-gone
test("an archived portfolio's results stay unchanged, and a forgotten one's are deleted", async () => {
  const place = await openFinishedPortfolio(5);
  const path = keptResultsPath('q4', place.context);
  const deps = { ...place.context, signal };
  await keepResults('q4', never, deps);
  await writeFile(join(dirname(path), `.q4.results.csv.1-00000000-00000000.part`), 'half');
  await writeFile(join(dirname(path), 'q4.results.csv.results.csv'), 'of another');
  const before = await read(path);
  await place.archive();
  expect(await keepResults('q4', never, deps)).toBe(false);
  expect(await read(path)).toBe(before);
  await forgetKept('q4', place.context);
  expect((await filesBelow(dirname(path))).map(({ path: left }) => left)).toEqual([
    join(dirname(path), 'q4.results.csv.results.csv'),
  ]);
});

// Promise: results-kept-each-minute
test('a slow process does not replace newer results of another process', async () => {
  const place = await openFinishedPortfolio(5);
  const path = keptResultsPath('q4', place.context);
  const check = async () => writeFile(path, 'as another process read it later');
  expect(await keepResults('q4', never, { ...place.context, signal, marks: { check } })).toBe(false);
  expect(await read(path)).toBe('as another process read it later');
  expect(await readdir(dirname(path))).toEqual(['q4.results.csv']);
});

test('results with a date in the future are written again, and do not count as finished', async () => {
  const place = await openFinishedPortfolio(5);
  const path = keptResultsPath('q4', place.context);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, 'as it stood before the end');
  const ahead = Date.now() / 1_000 + 2 * 86_400;
  await utimes(path, ahead, ahead);
  expect(await finishedResults('q4', place.context)).toBeUndefined();
  const keeping = startKeepingResults(place.context, 100);
  onTestFinished(() => keeping.stop());
  await expect.poll(() => read(path)).toBe(await exportedText(place.context, { likeInput: 'cells' }));
  expect(await finishedResults('q4', place.context)).toBe(path);
});

// Promise: forgotten-results-gone
test('results that get their name while their portfolio is forgotten are deleted', async () => {
  const place = await openFinishedPortfolio(1);
  const path = keptResultsPath('q4', place.context);
  await mkdir(dirname(path), { recursive: true });
  const drafts = Array.from({ length: 300 }, (_, n) => join(dirname(path), `.q4.results.csv.${n}-0-0.part`));
  for (const draft of drafts) await writeFile(draft, 'of people');
  const forgetting = forgetKept('q4', place.context);
  await expect.poll(() => drafts.some((draft) => !existsSync(draft)), { interval: 1 }).toBe(true);
  // Each draft may be deleted at the moment of its renaming.
  const isNamed = (draft: string) => {
    try {
      renameSync(draft, path);
      return true;
    } catch {
      return false;
    }
  };
  expect(drafts.toReversed().some(isNamed)).toBe(true);
  await forgetting;
  expect(await readdir(dirname(path))).toEqual([]);
});
