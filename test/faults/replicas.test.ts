import { afterEach, expect, test } from 'vitest';
import { openFaultPlace } from '../support/fault-place.ts';
import { makeServerFixture } from '../support/redis/server-fixture.ts';
import { buyerLines } from '../support/workplace.ts';

const fixture = makeServerFixture();
afterEach(fixture.clean);

// Promise: calls-wait-for-replica
test('a replica that confirms nothing stops all calls with a log line, and they continue when it confirms again', async () => {
  const primary = await fixture.start(['appendonly yes', 'appendfsync always', 'repl-diskless-sync-delay 0']);
  const [, replica] = [await fixture.startReplicaOf(primary), await fixture.startReplicaOf(primary)];
  const place = await openFaultPlace({
    faults: { latencyMs: 20 },
    env: { REDIS_URL: primary.url, SERVICE_CONCURRENCY: '4', LOG_LEVEL: 'warn' },
  });
  await place.import(buyerLines(60));
  const worker = place.startWorker();
  await expect.poll(place.madeCount).toBeGreaterThanOrEqual(20);
  process.kill(replica.pid, 'SIGSTOP');
  await expect.poll(() => worker.output().stderr).toContain("calls wait: Redis' replicas do not confirm (1 of 2)");
  const made = place.madeCount();
  // The worker tries again and sends nothing.
  await expect.poll(() => worker.output().stderr.match(/calls wait/g)?.length).toBeGreaterThanOrEqual(2);
  expect(place.madeCount()).toBe(made);
  process.kill(replica.pid, 'SIGCONT');
  expect((await place.judged(60)).states).toMatchObject({ done: 60, held: 0 });
});
