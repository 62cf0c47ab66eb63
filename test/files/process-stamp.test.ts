import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test, vi } from 'vitest';
import { isAlive, pidOf, stampOf } from '../../src/files/process-mark.ts';
import { WAIT } from '../support/redis/own-fixture.ts';

const folder = { path: '/nowhere', id: '1-2' };

test('the stamp of this process is alive, in the folder it was made for alone', () => {
  const stamp = stampOf(process.pid, folder) ?? '';
  expect(pidOf(stamp)).toBe(process.pid);
  expect(isAlive(stamp, folder)).toBe(true);
  expect(isAlive(stamp, { ...folder, id: '1-3' })).toBe(false);
});

test('another process with the same number is not taken for it', () => {
  const [pid, , id] = (stampOf(process.pid, folder) ?? '').split('/');
  expect(isAlive(`${pid}/another-start/${id}`, folder)).toBe(false);
});

test('a process that has ended is dead', async () => {
  const child = spawn('sleep', ['60']);
  const stamp = stampOf(child.pid ?? 0, folder) ?? '';
  expect(isAlive(stamp, folder)).toBe(true);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(isAlive(stamp, folder)).toBe(false);
});

test('a zombie, which has ended and whose parent never waits for it, is dead', async () => {
  // The shell starts one in the background and then becomes a program that never waits for it.
  const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60']);
  onTestFinished(() => void parent.kill('SIGKILL'));
  const [line] = await once(parent.stdout, 'data');
  const pid = Number(String(line));
  const stamp = stampOf(pid, folder) ?? '';
  expect(isAlive(stamp, folder)).toBe(true);
  process.kill(pid, 'SIGKILL');
  await vi.waitUntil(() => !isAlive(stamp, folder), WAIT);
});

test.each(['', '0', '-1//1-2', 'nonsense', '1', '//'])('%j is no living process', (text) => {
  expect(isAlive(text, folder)).toBe(false);
});
