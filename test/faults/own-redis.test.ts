import { execFileSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openFaultPlace } from '../support/fault-place.ts';
import { buyerLines, makeFolder } from '../support/workplace.ts';

/** Room for the few files of a small portfolio, and quickly filled. */
const DISK_SIZE = '8m';

// Mounting a disk of the test's own is for the superuser alone; elsewhere redis.test.ts has writes refused otherwise.
// Promise: full-disk-of-redis
test.skipIf(process.getuid?.() !== 0)('a full disk under our own Redis fails no row, and is said', async () => {
  const disk = await mountSmallDisk();
  const place = await openFaultPlace({
    faults: { latencyMs: 20 },
    env: { REDIS_URL: '', LIMITLINE_DATA: disk, SERVICE_CONCURRENCY: '4', LOG_LEVEL: 'warn' },
  });
  await place.import(buyerLines(40));
  const worker = place.startWorker();
  await expect.poll(place.madeCount).toBeGreaterThanOrEqual(20);
  const filler = fillUp(disk);
  const made = place.madeCount();
  await expect.poll(() => worker.output().stderr).toMatch(/cannot be started|does not answer/);
  // Beside the calls in flight, some that the last pages of the file had still room for.
  expect(place.madeCount()).toBeLessThan(made + 20);
  rmSync(filler);
  expect((await place.judged(40)).states.done).toBe(40);
  worker.child.kill('SIGTERM');
  expect(await worker.ended).toMatchObject({ status: 0 });
});

async function mountSmallDisk(): Promise<string> {
  const dir = join(await makeFolder(), 'disk');
  await mkdir(dir);
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_SIZE}`, 'limitline-test', dir]);
  onTestFinished(() => void execFileSync('umount', ['--lazy', dir]));
  return dir;
}

/** Writes until there is no room left for a single byte, and answers the file that holds it all. */
function fillUp(dir: string): string {
  const path = join(dir, 'filler');
  const file = openSync(path, 'w');
  for (let chunk = Buffer.alloc(65_536); chunk.length > 0; ) {
    try {
      writeSync(file, chunk);
    } catch {
      chunk = chunk.subarray(0, chunk.length >> 1);
    }
  }
  closeSync(file);
  return path;
}
