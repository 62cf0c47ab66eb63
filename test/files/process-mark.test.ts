import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test, vi } from 'vitest';
import { isAlive, isLeftBehind, MARK_PATTERN, markOfProcess, pidOf, stampOf } from '../../src/files/process-mark.ts';
import { WAIT } from '../support/redis/own-fixture.ts';

const DAY_MS = 86_400_000;
const [, ...OWN] = new RegExp(`^${MARK_PATTERN}$`).exec(markOfProcess()) ?? [];
const [pid = '', place = '', start = ''] = OWN;
const yesterdayMs = () => Date.now() - DAY_MS - 60_000;

test('what this process has marked is its own as long as it lives, however old it is', () => {
  expect(pid).toBe(String(process.pid));
  expect(isLeftBehind(OWN, 0)).toBe(false);
});

test('what a process that is gone has marked was left behind, also when its number was given to another', async () => {
  const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
  await once(child, 'exit');
  expect(isLeftBehind([String(child.pid), place, start], Date.now())).toBe(true);
  expect(isLeftBehind([pid, place, '00000000'], Date.now())).toBe(true);
});

test.each([
  ['a process that cannot be seen from here', [pid, '00000000', start]],
  ['nobody that can be told', [undefined, undefined, undefined]],
])('what was marked by %s was left behind when it was not touched for a day', (_who, mark) => {
  expect(isLeftBehind(mark, Date.now())).toBe(false);
  expect(isLeftBehind(mark, yesterdayMs())).toBe(true);
});

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
