import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { freshPrefix } from '../support/ledger.ts';
import { redisUrl } from '../support/redis/own-database.ts';
import { startStandIn } from '../support/workplace.ts';

const UPLOAD_PROCESS = fileURLToPath(new URL('../support/upload-process.ts', import.meta.url));
const MB = 1_048_576;

test('an upload of 50 MB needs no more than 16 MB of memory', async () => {
  const standIn = await startStandIn();
  const dir = await mkdtemp(join(tmpdir(), 'limitline-memory-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  // The first uploads warm up code, buffers, connection and garbage collector.
  const files: string[] = [];
  for (const [place, sizeMb] of [10, 10, 10, 50].entries()) {
    const path = join(dir, String(place));
    await writeRandom(path, sizeMb);
    files.push(path, String(sizeMb * MB));
  }
  // The command starts Node with the second flag, too.
  const words = [
    '--expose-gc',
    '--max-semi-space-size=8',
    UPLOAD_PROCESS,
    standIn.url(),
    redisUrl(),
    freshPrefix(),
    ...files,
  ];
  const { stdout } = await promisify(execFile)(process.execPath, words);
  const { meanings, raisedBytes } = JSON.parse(stdout);
  expect(meanings).toEqual(['made', 'made', 'made', 'made']);
  expect(raisedBytes / MB).toBeLessThan(16);
});

async function writeRandom(path: string, sizeMb: number): Promise<void> {
  const file = await open(path, 'w');
  for (let n = 0; n < sizeMb; n += 1) await file.write(randomBytes(MB));
  await file.close();
}
