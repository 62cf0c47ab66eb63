import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Command } from '../support/command.ts';
import { openFaultPlace } from '../support/fault-place.ts';
import { startKillableRedis } from '../support/redis/killable-redis.ts';
import { testsBeside } from '../support/tests-beside.ts';
import { buyerLines } from '../support/workplace.ts';

const test = testsBeside();

/** Containers are killed 30 s after SIGTERM (docker-compose.yml), so each command must have ended by then. */
const ENDS_WITHIN_MS = 29_000;
/** Three processes start at the same time, each with a Redis that waits for the disk. */
const STARTS_WITHIN = { timeout: 240_000 };

// Promise: calls-awaited-at-a-stop
test('SIGTERM ends every command in time when Redis is killed or silent', async () => {
  // In parallel, because most of the time passes until the deadlines.
  await Promise.all([stopWithout('killed'), stopWithout('silent')]);
});

async function stopWithout(how: 'killed' | 'silent'): Promise<void> {
  const redis = await startKillableRedis();
  // Slow enough that rows are left when Redis disappears.
  const env = { REDIS_URL: redis.url, LOG_LEVEL: 'info', SERVICE_RATE_PER_S: '25' };
  // Slow enough that some calls are in flight at every moment.
  const place = await openFaultPlace({ faults: { latencyMs: 400 }, env });
  const file = async (name: string, rows: number) => {
    await writeFile(join(place.dir, name), buyerLines(rows).join('\n'));
    return name;
  };
  const work = place.startCommand(['work']);
  const run = place.startCommand(['run', await file('some.csv', 400)]);
  await expect.poll(() => work.output().stderr).toContain('"working"');
  const stateOf = (portfolio: string) => place.context.portfolios.read(portfolio);
  await expect.poll(async () => (await stateOf('some')).states.done, STARTS_WITHIN).toBeGreaterThanOrEqual(1);
  await expect.poll(async () => (await stateOf('some')).importing).toBe(false);
  const commands = [work, run];
  if (how === 'killed') await redis.kill();
  else {
    // The test below covers an import whose Redis was killed.
    commands.push(place.startCommand(['import', await file('many.csv', 4_000)]));
    await expect.poll(async () => (await stateOf('many')).importing).toBe(true);
    redis.pause();
  }
  // By then calls in flight wait for Redis to write down their answers.
  await expect.poll(() => work.output().stderr).toContain('does not answer to');
  const [worked, ran, imported] = await Promise.all(commands.map(terminate));
  expect(worked).toMatchObject({ status: 0, inTime: true, stdout: '' });
  expect(ran).toMatchObject({
    status: 2,
    inTime: true,
    stderr: expect.stringMatching(/run the same command to continue/),
  });
  // The import may have ended before the signal.
  if (imported) expect(imported).toMatchObject({ inTime: true });
}

async function terminate({ child, ended }: Command) {
  const since = performance.now();
  child.kill('SIGTERM');
  const { status, stdout, stderr } = await ended;
  const tookMs = performance.now() - since;
  return { status, stdout, stderr, inTime: tookMs < ENDS_WITHIN_MS, tookMs };
}

/** Reading takes a second, so that Redis disappears in the middle of it. */
const ROWS = 2_500;

// Promises: import-waits-for-redis, outage-refuses-nothing
test('an import waits for Redis and imports every line afterwards, and a signal ends a waiting import with its remedy', async () => {
  const redis = await startKillableRedis();
  const place = await openFaultPlace({ env: { REDIS_URL: redis.url } });
  const queued = async (portfolio: string) => (await place.context.portfolios.read(portfolio)).states.queued;
  const importing = ['q4', 'q5'].map(async (name) => {
    await writeFile(join(place.dir, `${name}.csv`), buyerLines(ROWS).join('\n'));
    const command = place.startCommand(['import', `${name}.csv`]);
    await expect.poll(() => queued(name)).toBeGreaterThan(0);
    return command;
  });
  const [waits, stopped] = (await Promise.all(importing)) as [Command, Command];
  await redis.kill();
  for (const command of [waits, stopped]) {
    await expect.poll(() => command.output().stderr).toContain('does not answer to');
  }
  const since = performance.now();
  stopped.child.kill('SIGTERM');
  const { status, stderr } = await stopped.ended;
  // Without the signal, it would wait as long as Redis is away.
  expect(performance.now() - since).toBeLessThan(20_000);
  expect(status).toBe(1);
  expect(stderr).toContain('Stopped by SIGTERM; import the same file again to go on.');

  await redis.restart();
  expect(await waits.ended).toMatchObject({ status: 0 });
  expect(await queued('q4')).toBe(ROWS);
});
