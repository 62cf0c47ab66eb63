import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFaultPlace } from '../support/fault-place.ts';
import { startKillableRedis } from '../support/redis/killable-redis.ts';
import { buyerLines } from '../support/workplace.ts';

/** A second of reading, so that Redis goes in the middle of it. */
const ROWS = 4_000;

/** A Redis that has gone away in the middle of an import, until its commands were given up. */
async function loseRedisWhileImporting() {
  const redis = await startKillableRedis();
  const place = await openFaultPlace({ env: { REDIS_URL: redis.url } });
  await writeFile(join(place.dir, 'q4.csv'), buyerLines(ROWS).join('\n'));
  const command = place.startCommand(['import', 'q4.csv']);
  await expect.poll(async () => (await place.context.portfolios.read('q4')).states.queued).toBeGreaterThan(0);
  await redis.kill();
  await expect.poll(() => command.output().stderr).toContain('does not answer to');
  return { redis, place, command };
}

// Promises: import-waits-for-redis, outage-refuses-nothing
test('an import waits while Redis is away, says so, and brings in every line', async () => {
  const { redis, place, command } = await loseRedisWhileImporting();
  await redis.restart();
  expect(await command.ended).toMatchObject({ status: 0 });
  expect((await place.context.portfolios.read('q4')).states.queued).toBe(ROWS);
});

test('an import that waits for Redis ends soon after a signal, and says how to go on', async () => {
  const { command } = await loseRedisWhileImporting();
  const since = performance.now();
  command.child.kill('SIGTERM');
  const { status, stderr } = await command.ended;
  // Who waited on would do so for as long as Redis is away.
  expect(performance.now() - since).toBeLessThan(20_000);
  expect(status).toBe(1);
  expect(stderr).toContain('Stopped by SIGTERM; import the same file again to go on.');
});
