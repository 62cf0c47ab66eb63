import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test, vi } from 'vitest';
import { isAlive, isLeftBehind, MARK_PATTERN, markOfProcess, pidOf, stampOf } from '../../src/files/process-mark.ts';
import { WAIT } from '../support/redis/own-fixture.ts';

const DAY_MS = 86_400_000;
const [, ...OWN] = new RegExp(`^${MARK_PATTERN}$`).exec(markOfProcess()) ?? [];
const [pid = '', place = '', start = ''] = OWN;
const yesterdayMs = () => Date.now() - DAY_MS - 60_000;

test('a file marked by this process is in use, however old it is', () => {
  expect(pid).toBe(String(process.pid));
  expect(isLeftBehind(OWN, 0)).toBe(false);
});

test('a file marked by an ended process was left behind, also if the process id was reused', async () => {
  const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
  await once(child, 'exit');
  expect(isLeftBehind([String(child.pid), place, start], Date.now())).toBe(true);
  expect(isLeftBehind([pid, place, '00000000'], Date.now())).toBe(true);
});

test.each([
  ['a process that is invisible from here', [pid, '00000000', start]],
  ['no known process', [undefined, undefined, undefined]],
])('a file marked by %s was left behind once it is a day old', (_who, mark) => {
  expect(isLeftBehind(mark, Date.now())).toBe(false);
  expect(isLeftBehind(mark, yesterdayMs())).toBe(true);
});

const folder = { path: '/nowhere', id: '1-2' };

test('the stamp of this process is alive only in the folder for which it was made', () => {
  const stamp = stampOf(process.pid, folder) ?? '';
  expect(pidOf(stamp)).toBe(process.pid);
  expect(isAlive(stamp, folder)).toBe(true);
  expect(isAlive(stamp, { ...folder, id: '1-3' })).toBe(false);
});

test('another process with the same id is not mistaken for it', () => {
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

test('a zombie process is dead', async () => {
  // The shell starts a process in the background and then becomes a program that never waits for it.
  const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60']);
  onTestFinished(() => void parent.kill('SIGKILL'));
  const [line] = await once(parent.stdout, 'data');
  const pid = Number(String(line));
  const stamp = stampOf(pid, folder) ?? '';
  expect(isAlive(stamp, folder)).toBe(true);
  process.kill(pid, 'SIGKILL');
  await vi.waitUntil(() => !isAlive(stamp, folder), WAIT);
});

test.each(['', '0', '-1//1-2', 'nonsense', '1', '//'])('%j is not the stamp of a living process', (text) => {
  expect(isAlive(text, folder)).toBe(false);
});
