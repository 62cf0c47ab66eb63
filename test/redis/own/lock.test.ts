import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type OwnFolder, openOwnFolder } from '../../../src/redis/own/folder.ts';
import { lockHolder, tryLock } from '../../../src/redis/own/lock.ts';
import { pidOf } from '../../../src/redis/own/stamp.ts';

const LOCK_PROCESS = fileURLToPath(new URL('../../support/redis/lock-process.ts', import.meta.url));

let dataDir: string;
let folder: OwnFolder;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'limitline-lock-'));
  folder = openOwnFolder(dataDir);
  writeFileSync(join(dataDir, 'counter'), '0');
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

test('is had by one at a time', () => {
  const release = tryLock(folder);
  expect(pidOf(lockHolder(folder) ?? '')).toBe(process.pid);
  expect(tryLock(folder)).toBeUndefined();
  release?.();
  expect(lockHolder(folder)).toBe('');
  expect(tryLock(folder)).toBeTypeOf('function');
});

test('is taken from the dead, and not from the living', async () => {
  await run('die', 1);
  expect(pidOf(lockHolder(folder) ?? '')).not.toBe(process.pid);
  expect(tryLock(folder)).toBeTypeOf('function');
  expect(tryLock(folder)).toBeUndefined();
});

test('leaves nothing behind where the disk takes no byte', async () => {
  // No file may have a byte: to a process that is what a full disk is.
  const words = ['-c', 'ulimit -f 0; exec "$@"', 'sh', process.execPath, LOCK_PROCESS, dataDir, 'work', '1'];
  const child = spawn('sh', words, { stdio: 'ignore' });
  expect(await once(child, 'exit')).toEqual([1, null]);
  expect(readdirSync(folder.path)).toEqual([]);
});

test('does not hold in a copy of the folder', () => {
  tryLock(folder);
  cpSync(folder.path, join(dataDir, 'copy', 'redis'), { recursive: true });
  expect(tryLock(openOwnFolder(join(dataDir, 'copy')))).toBeTypeOf('function');
});

test('holds while processes race for it and some of them die with it, and leaves one file', async () => {
  const workers = [run('work', 40), run('work', 40), run('work', 40)];
  for (let died = 0; died < 10; died += 1) await run('die', 1);
  await Promise.all(workers);
  expect(readFileSync(join(dataDir, 'counter'), 'utf8')).toBe(String(3 * 40 + 10));
  expect(readdirSync(folder.path)).toEqual([expect.stringMatching(/^lock\.\d+$/)]);
});

async function run(task: 'work' | 'die', times: number): Promise<void> {
  const child = spawn(process.execPath, [LOCK_PROCESS, dataDir, task, String(times)], { stdio: 'inherit' });
  await once(child, 'exit');
}
