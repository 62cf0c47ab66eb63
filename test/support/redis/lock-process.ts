/**
 * For tests: repeatedly adds 1 to a number in a file under the lock of its folder, or takes the lock and never releases
 * it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { tryLock } from '../../../src/files/lock.ts';
import { openFolder } from '../../../src/redis/own/folder.ts';

const [dataDir = '', task, times = '0'] = process.argv.slice(2);
const folder = openFolder(dataDir);
const counter = join(dataDir, 'counter');

for (let done = 0; done < Number(times); ) {
  const release = tryLock(folder);
  if (release) {
    const before = Number(readFileSync(counter, 'utf8'));
    await sleep(Math.random());
    writeFileSync(counter, String(before + 1));
    done += 1;
    if (task === 'die') process.kill(process.pid, 'SIGKILL');
    release();
  }
  await sleep(Math.random());
}
