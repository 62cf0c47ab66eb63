import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Command } from '../support/command.ts';
import { openFaultPlace } from '../support/fault-place.ts';
import { startKillableRedis } from '../support/redis/killable-redis.ts';
import { buyerLines } from '../support/workplace.ts';

/** A second of reading, so that Redis goes in the middle of it. */
const ROWS = 2_500;

// Promises: import-waits-for-redis, outage-refuses-nothing
test('an import waits while Redis is away, says so, and brings in every line; one that gets a signal ends soon, and says how to go on', async () => {
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
  // Who waited on would do so for as long as Redis is away.
  expect(performance.now() - since).toBeLessThan(20_000);
  expect(status).toBe(1);
  expect(stderr).toContain('Stopped by SIGTERM; import the same file again to go on.');

  await redis.restart();
  expect(await waits.ended).toMatchObject({ status: 0 });
  expect(await queued('q4')).toBe(ROWS);
});
