import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readStrip } from '../../scripts/console/read-strip.ts';
import { openFaultPlace } from '../support/fault-place.ts';
import { startKillableRedis } from '../support/redis/killable-redis.ts';
import { makeWatcher, ROOM } from '../support/watcher.ts';
import { buyerLines } from '../support/workplace.ts';

/** A portfolio is requested, Redis is copied, and another portfolio is requested after that. */
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
  const run = (name: string) => place.startCommand(['run', name, '--yes']).ended;
  expect(await run('before.csv')).toMatchObject({ status: 0 });
  const copy = await copyOf(redis.admin);
  expect(await run('after.csv')).toMatchObject({ status: 0 });
  expect(standIn.counts().made).toMatchObject({ company: 5, limit: 5 });
  return { ...place, redis, run, putBack: () => putBack(redis.admin, copy) };
}

type Admin = Awaited<ReturnType<typeof startKillableRedis>>['admin'];

async function copyOf(admin: Admin): Promise<[key: string, bytes: Buffer][]> {
  const keys = await admin.keys('*');
  return Promise.all(keys.map(async (key) => [key, (await admin.dumpBuffer(key)) as Buffer] as [string, Buffer]));
}

async function putBack(admin: Admin, copy: readonly [string, Buffer][]): Promise<void> {
  const all = admin.multi().flushall();
  for (const [key, bytes] of copy) all.restore(key, 0, bytes);
  await all.exec();
}

test('a copy of Redis that is put back stops everything, until results files have told it what was requested since', async () => {
  const { run, putBack, standIn, startCommand } = await openPlace();
  await putBack();
  const stopped = await run('after.csv');
  expect(stopped).toMatchObject({ status: 1, stdout: '' });
  expect(stopped.stderr).toMatch(/Redis is older than what was sent: .* limitline recover .* acknowledge-rollback/);
  expect(await startCommand(['work', '--until-settled']).ended).toMatchObject({ status: 1 });
  expect(standIn.counts().made).toMatchObject({ company: 5, limit: 5 });

  expect(await startCommand(['recover', 'after.results.csv', '--apply']).ended).toMatchObject({ status: 0 });
  expect(await run('after.csv')).toMatchObject({ status: 0 });
  expect(standIn.counts().made).toMatchObject({ company: 5, limit: 5 });
  expect(standIn.madeTwice()).toEqual([]);
});

test('an empty Redis stops everything too, until a person says that it is right', async () => {
  const { run, redis, standIn, startCommand } = await openPlace();
  await redis.admin.flushall();
  expect(await run('after.csv')).toMatchObject({ status: 1 });
  const said = await startCommand(['acknowledge-rollback', '--json']).ended;
  expect(said).toMatchObject({ status: 0 });
  expect(JSON.parse(said.stdout)).toEqual({ older: true });
  expect((await startCommand(['acknowledge-rollback']).ended).stdout).toContain('nothing to acknowledge');
  const audit = await startCommand(['audit', 'list', '--json']).ended;
  expect(audit.stdout).toContain('older Redis accepted');
  // It was the wrong word, and whoever says it is believed.
  expect(await run('after.csv')).toMatchObject({ status: 0 });
  expect(standIn.counts().made).toMatchObject({ limit: 8 });
});

test('workers under which a copy is put back send nothing more and end, and people are told', async () => {
  const place = await openPlace();
  const { standIn, startCommand, startWorker, putBack, context } = place;
  const workers = [startWorker(), startWorker()];
  await expect
    .poll(() => workers.map((worker) => worker.output().stderr).filter((said) => said.includes('working')))
    .toHaveLength(2);
  await context.marks.ready();
  await putBack();
  expect(await startCommand(['import', 'after.csv', '--yes']).ended).toMatchObject({ status: 0 });
  const ended = await Promise.all(workers.map((worker) => worker.ended));
  expect(ended.map(({ status }) => status)).toEqual([1, 1]);
  expect(standIn.counts().made).toMatchObject({ company: 5, limit: 5 });
  expect((await readStrip(context)).alarm).toMatch(/^Redis is older than what was sent/);

  const watcher = makeWatcher(context, ROOM);
  await watcher.look();
  expect(await watcher.told()).toMatchObject([{ kind: 'redis', title: 'Redis is older than what was sent' }]);
});
