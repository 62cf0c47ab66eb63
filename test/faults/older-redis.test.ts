import { readdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { takeInOnce } from '../../jobs/inbox/take-in.ts';
import { readStrip } from '../../scripts/console/open-console.ts';
import { openMachines } from '../../scripts/machines/open-machines.ts';
import { startCommand } from '../support/command.ts';
import { openConsole, openDesk } from '../support/desk.ts';
import { openFaultPlace } from '../support/fault-place.ts';
import { startKillableRedis } from '../support/redis/killable-redis.ts';
import { copyOf, putBack } from '../support/redis/set-back.ts';
import { writeSessionFile } from '../support/session-file.ts';
import { makeWatcher, ROOM } from '../support/watcher.ts';
import { buyerLines, makeFolder } from '../support/workplace.ts';

/** Requests a portfolio, copies Redis, and requests another portfolio. */
async function openPlace() {
  const redis = await startKillableRedis();
  const place = await openFaultPlace({ env: { REDIS_URL: redis.url } });
  const { dir, standIn } = place;
  const write = (name: string, from: number, to: number) => {
    const [header, ...lines] = buyerLines(to);
    return writeFile(join(dir, name), `${[header, ...lines.slice(from)].join('\n')}\n`);
  };
  await write('before.csv', 0, 2);
  await write('after.csv', 2, 5);
  const run = (name: string) => place.limitline('run', name, '--yes');
  expect(await run('before.csv')).toMatchObject({ status: 0 });
  const copy = await copyOf(redis.admin);
  expect(await run('after.csv')).toMatchObject({ status: 0 });
  expect(standIn.counts().made).toMatchObject({ company: 5, limit: 5 });
  return {
    ...place,
    redis,
    run,
    putBack: () => putBack(redis.admin, copy),
    /** Deletes the results in the data folder, which would contradict the acknowledgement. */
    loseKept: () => rm(join(place.context.settings.LIMITLINE_DATA, 'results'), { recursive: true }),
  };
}

// Promises: older-redis-ends-commands, older-redis-sends-nothing
test('an older copy of Redis stops all sending until recover has read the results files of what was sent since', async () => {
  const { run, putBack, standIn, startCommand, limitline } = await openPlace();
  await putBack();
  const stopped = await run('after.csv');
  expect(stopped).toMatchObject({ status: 1, stdout: '' });
  expect(stopped.stderr).toMatch(/Redis is older than what was sent\. .* limitline recover .* acknowledge-rollback/);
  expect(await startCommand(['work', '--until-settled']).ended).toMatchObject({ status: 1 });
  expect(standIn.counts().made).toMatchObject({ company: 5, limit: 5 });

  expect(await limitline('recover', 'after.results.csv', '--apply')).toMatchObject({ status: 0 });
  expect(await run('after.csv')).toMatchObject({ status: 0 });
  expect(standIn.counts().made).toMatchObject({ company: 5, limit: 5 });
  expect(standIn.madeTwice()).toEqual([]);
});

// Promise: recover-reads-kept-results
test('recover also restores portfolios from the results files that the data folder keeps', async () => {
  const { run, redis, standIn, limitline, context } = await openPlace();
  await redis.admin.flushall();
  const refused = await limitline('acknowledge-rollback');
  expect(refused).toMatchObject({ status: 1, stdout: '' });
  expect(refused.stderr).toMatch(
    /results.csv knows of requests that Redis does not: npx limitline recover ".*" --apply/,
  );
  const { stdout, status } = await limitline('recover', 'before.results.csv', '--apply', '--json');
  const put = JSON.parse(stdout).files.map(({ path, put }: { path: string; put: { limit: number } }) => [
    basename(path),
    put.limit,
  ]);
  expect([status, put.sort()]).toEqual([
    0,
    [
      ['after.results.csv', 3],
      ['before.results.csv', 0],
      ['before.results.csv', 2],
    ],
  ]);
  for (const name of ['before.csv', 'after.csv']) expect(await run(name)).toMatchObject({ status: 0 });
  expect(standIn.counts().made).toMatchObject({ company: 5, limit: 5 });
  expect(await context.marks.older()).toBeUndefined();
});

// Promises: older-redis-ends-commands, older-redis-told-everywhere
test('with an older Redis, commands that send, import or compare end with 1, and commands that read print a warning', async () => {
  const { putBack, loseKept, dir, childEnv, context, limitline } = await openPlace();
  await putBack();
  const OLDER = /^limitline: Redis is older than what was sent\. .* acknowledge-rollback/gm;
  const reading = [['portfolios'], ['report', 'before'], ['check', 'after.csv'], ['schedule'], ['audit', 'list']];
  for (const args of reading) {
    const { status, stderr } = await limitline(...args);
    expect([status, stderr.match(OLDER)?.length], args.join(' ')).toEqual([0, 1]);
  }
  expect((await limitline('report', 'after')).stderr).toMatch(OLDER);
  const imported = await limitline('import', 'after.csv', '--yes');
  expect(imported).toMatchObject({ status: 1, stdout: '' });
  expect(imported.stderr.match(OLDER)).toHaveLength(1);
  expect(await context.portfolios.names()).toEqual(['before']);
  const sending = [['retry'], ['resolve', '--all', '--resend', '--yes'], ['resume'], ['approve', '--as', 'anna']];
  for (const [command = '', ...options] of sending) {
    const ended = await limitline(command, 'before', ...options);
    expect(ended, command).toMatchObject({ status: 1, stdout: '' });
    expect(ended.stderr.match(OLDER), command).toHaveLength(1);
  }
  expect(await limitline('retry', 'before', '--dry-run')).toMatchObject({ status: 0 });
  const judged = await limitline('reconcile');
  expect(judged).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining('Nothing was compared') });
  expect(judged.stderr).toMatch(OLDER);
  expect(await limitline('schedule', 'run', 'reconcile')).toMatchObject({
    status: 1,
    stdout: expect.stringMatching(/^reconcile: FAILED\. Redis is older than what was sent/),
  });
  const nightly = startCommand(['nightly'], { cwd: dir, env: { ...childEnv, LIMITLINE_SCHEDULE: 'off' } });
  expect(await nightly.ended).toMatchObject({ status: 1, stdout: expect.stringContaining('Nothing was due.') });
  // The file stays in the drop folder.
  const inbox = await makeFolder();
  await writeFile(join(inbox, 'dropped.csv'), `${buyerLines(1).join('\n')}\n`);
  const source = { ...context, settings: { ...context.settings, LIMITLINE_INBOX: inbox } };
  const { signal } = new AbortController();
  await expect(takeInOnce(source, { signal })).rejects.toThrow('Redis is older than what was sent');
  expect(await readdir(inbox)).toEqual(['dropped.csv']);
  const machines = openMachines(context, { role: 'console' });
  expect(await machines.metrics.text()).toMatch(/^limitline_blocked\{.*reason="older"\} 1$/m);

  await loseKept();
  expect((await limitline('acknowledge-rollback')).status).toBe(0);
  // The check has a finding, because the data folder knows more requests.
  expect(await limitline('reconcile')).toMatchObject({ status: 2, stderr: expect.not.stringMatching(OLDER) });
  expect(await limitline('import', 'after.csv', '--yes')).toMatchObject({ status: 0 });
});

// Promise: rollback-acknowledged
test('an empty Redis stops all sending until a person acknowledges it', async () => {
  const { run, redis, loseKept, standIn, limitline } = await openPlace();
  await redis.admin.flushall();
  await loseKept();
  expect(await run('after.csv')).toMatchObject({ status: 1 });
  const said = await limitline('acknowledge-rollback', '--json');
  expect(said).toMatchObject({ status: 0 });
  expect(JSON.parse(said.stdout)).toEqual({ older: true, heldSessions: 0, lacks: [] });
  expect((await limitline('acknowledge-rollback')).stdout).toContain('nothing to acknowledge');
  const audit = await limitline('audit', 'list', '--json');
  expect(audit.stdout).toContain('older Redis accepted');
  // The acknowledgement was wrong, and the rows are sent again.
  expect(await run('after.csv')).toMatchObject({ status: 0 });
  expect(standIn.counts().made).toMatchObject({ limit: 8 });
});

// Promise: session-of-older-copy-held
test.each([
  ['acknowledge-rollback', []],
  ['recover', ['q4.results.csv', '--apply']],
])('a hosted session that waited in the older copy is held by %s and not sent again', async (command, more) => {
  const redis = await startKillableRedis();
  const env = { REDIS_URL: redis.url, SERVICE_SESSION_FILE: await writeSessionFile() };
  const { dir, standIn, limitline, context } = await openFaultPlace({ env });
  await writeFile(join(dir, 'q4.csv'), `${buyerLines(1).join('\n')}\n`);
  expect(await limitline('run', 'q4.csv', '--yes')).toMatchObject({ status: 0 });
  await limitline('sessions', 'q4');
  const copy = await copyOf(redis.admin);
  await limitline('run', 'q4.csv', '--yes', '--sessions');
  expect(standIn.sessions()).toHaveLength(1);
  await rm(join(context.settings.LIMITLINE_DATA, 'results'), { recursive: true });
  await putBack(redis.admin, copy);
  expect((await limitline('run', 'q4.csv', '--yes')).stderr).toContain('Redis is older');
  expect((await limitline(command, ...more)).stdout).toContain('1 hosted session waited in the older Redis');
  await limitline('run', 'q4.csv', '--yes', '--sessions');
  expect(standIn.sessions()).toHaveLength(1);
});

// Promise: older-redis-told-everywhere
test('running workers stop when an older copy is restored, and a notice is sent', async () => {
  const place = await openPlace();
  const { standIn, startWorker, putBack, context } = place;
  const faults: string[] = [];
  await place.work(({ message }) => void faults.push(message));
  const worker = startWorker();
  await expect.poll(() => worker.output().stderr).toContain('working');
  await context.marks.ready();
  await putBack();
  await place.import(buyerLines(5), { portfolio: 'after' });
  expect(await worker.ended).toMatchObject({ status: 1 });
  await expect.poll(() => faults[0]).toContain('Redis is older than what was sent');
  expect(standIn.counts().made).toMatchObject({ company: 5, limit: 5 });
  expect((await readStrip(context)).alarm).toMatch(/^Redis is older than what was sent/);

  const watcher = makeWatcher(context, ROOM);
  await watcher.look();
  const told = await watcher.told();
  expect(told).toMatchObject([{ kind: 'redis', title: 'Redis is older than what was sent' }]);
  expect(JSON.stringify(told)).toMatch(/FILE\.results\.csv --apply\..*acknowledge-rollback\./);
});

/** Workers without marks in the data folder; `noticed` has the faults that they reported. */
async function openAtWork(workers: number) {
  const redis = await startKillableRedis();
  const place = await openFaultPlace({ faults: { latencyMs: 20 }, env: { REDIS_URL: redis.url } });
  const noticed: string[] = [];
  for (let number = 0; number < workers; number += 1) await place.work(({ message }) => void noticed.push(message));
  let copiedAtMs = 0;
  let copy: Awaited<ReturnType<typeof copyOf>> = [];
  return {
    ...place,
    noticed,
    async copy(): Promise<void> {
      copy = await copyOf(redis.admin);
      copiedAtMs = performance.now();
    },
    /** Restores the copy once it is two seconds old. */
    async putBack(): Promise<void> {
      await expect.poll(() => performance.now() - copiedAtMs, { timeout: 20_000 }).toBeGreaterThan(2_000);
      await rm(join(place.context.settings.LIMITLINE_DATA, 'marks'), { recursive: true, maxRetries: 5 });
      await putBack(redis.admin, copy);
    },
  };
}

// Promise: older-copy-always-noticed
test('a copy of two seconds ago that is restored under load, hundreds of calls later, makes nothing twice', async () => {
  const { standIn, noticed, madeCount, ...place } = await openAtWork(2);
  await place.import(buyerLines(1_000));
  await expect.poll(madeCount, { timeout: 60_000 }).toBeGreaterThan(100);
  await place.copy();
  const enough = madeCount() + 300;
  await expect.poll(madeCount, { timeout: 60_000 }).toBeGreaterThan(enough);
  await place.putBack();
  await expect.poll(() => noticed.length, { timeout: 20_000 }).toBeGreaterThan(6);
  expect(new Set(noticed)).toEqual(new Set([expect.stringContaining('Redis is older than what was sent')]));
  expect((await place.report()).states.done).toBeLessThan(1_000);
  expect(standIn.madeTwice()).toEqual([]);
});

test('single and batched claims are refused in a copy that lacks the mark of the current second', async () => {
  const redis = await startKillableRedis();
  const { context, ...place } = await openFaultPlace({ env: { REDIS_URL: redis.url } });
  await place.import(buyerLines(1));
  const [waiting] = await context.rows.inState('q4', 'queued', { count: 1 });
  if (!waiting) throw new Error('no row waits');
  const { row } = waiting;
  await context.rows.begin(row, 'company');
  const claim = (revision?: string) =>
    context.atMostOnce.claim(
      { kind: 'company', key: `of ${revision}`, row, revision, sent: '', asked: '', buyer: 'b' },
      'hold',
    );
  const copy = await copyOf(redis.admin);
  await context.atMostOnce.mayLeave();
  for (const revision of ['0', undefined]) expect(await claim(revision)).toMatchObject({ is: 'go' });
  await putBack(redis.admin, copy);
  for (const revision of ['0', undefined]) expect(await claim(revision)).toMatchObject({ is: 'later' });
  await expect(context.atMostOnce.mayLeave()).rejects.toThrow('Redis is older than what was sent');
});

// Promise: older-redis-told-everywhere
test('each page shows the warning of an older Redis until a person acknowledges it', async () => {
  const redis = await startKillableRedis();
  const desk = await openDesk(2, {}, { REDIS_URL: redis.url });
  await desk.limitline('run', 'q4.csv', '--yes');
  const { get, context } = await openConsole(desk);
  const copy = await copyOf(redis.admin);
  await context.marks.ready();
  await putBack(redis.admin, copy);
  for (const page of ['/', '/portfolios/q4', '/held', '/approvals', '/nightly', '/health', '/new', '/audit']) {
    await expect
      .poll(async () => (await get(page)).text, { message: page })
      .toMatch(/data-away="">\s*<li><span>Redis is older than what was sent/);
  }
  await context.marks.accept();
  await expect.poll(async () => (await get('/')).text).not.toContain('Redis is older');
});
