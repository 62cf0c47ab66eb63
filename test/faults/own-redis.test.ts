import { execFileSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openFaultPlace } from '../support/fault-place.ts';
import { buyerLines, makeFolder } from '../support/workplace.ts';

/** Enough for the few files of a small portfolio, and quickly filled. */
const DISK_SIZE = '8m';

// Only root may mount a disk; for other users, redis.test.ts has a Redis that refuses writes.
// Promise: full-disk-of-redis
test.skipIf(process.getuid?.() !== 0)(
  'a full disk under the Redis in the data folder fails no row, and is reported',
  async () => {
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
    // The calls in flight, and some more for which the last pages of the file still had room.
    expect(place.madeCount()).toBeLessThan(made + 20);
    rmSync(filler);
    expect((await place.judged(40)).states.done).toBe(40);
    worker.child.kill('SIGTERM');
    expect(await worker.ended).toMatchObject({ status: 0 });
  },
);

async function mountSmallDisk(): Promise<string> {
  const dir = join(await makeFolder(), 'disk');
  await mkdir(dir);
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_SIZE}`, 'limitline-test', dir]);
  onTestFinished(() => void execFileSync('umount', ['--lazy', dir]));
  return dir;
}

/** Writes until no byte is left on the disk, and returns the file. */
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
