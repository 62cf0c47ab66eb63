import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lockOwner, tryLock } from '../../src/files/lock.ts';
import { type Folder, pidOf } from '../../src/files/process-mark.ts';
import { openFolder } from '../../src/redis/own/folder.ts';
import { bundled } from '../support/bundle.ts';

const LOCK_PROCESS = bundled('lock-process');

let dataDir: string;
let folder: Folder;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'limitline-lock-'));
  folder = openFolder(dataDir);
  writeFileSync(join(dataDir, 'counter'), '0');
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

test('the lock belongs to one process at a time', () => {
  const release = tryLock(folder);
  expect(pidOf(lockOwner(folder) ?? '')).toBe(process.pid);
  expect(tryLock(folder)).toBeUndefined();
  release?.();
  expect(lockOwner(folder)).toBe('');
  expect(tryLock(folder)).toBeTypeOf('function');
});

test('the lock is taken over from a dead process, and not from a living one', async () => {
  await run('die', 1);
  expect(pidOf(lockOwner(folder) ?? '')).not.toBe(process.pid);
  expect(tryLock(folder)).toBeTypeOf('function');
  expect(tryLock(folder)).toBeUndefined();
});

test('a failed try on a full disk leaves no file behind', async () => {
  // The limit lets no file have a byte, which looks like a full disk to the process.
  const args = ['-c', 'ulimit -f 0; exec "$@"', 'sh', process.execPath, LOCK_PROCESS, dataDir, 'work', '1'];
  const child = spawn('sh', args, { stdio: 'ignore' });
  expect(await once(child, 'exit')).toEqual([1, null]);
  expect(readdirSync(folder.path)).toEqual([]);
});

test('the lock does not apply to a copy of the folder', () => {
  tryLock(folder);
  cpSync(folder.path, join(dataDir, 'copy', 'redis'), { recursive: true });
  expect(tryLock(openFolder(join(dataDir, 'copy')))).toBeTypeOf('function');
});

test('racing processes, some of which die, never hold the lock together and leave one lock file', async () => {
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
