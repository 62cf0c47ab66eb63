import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { isLeftBehind, MARK_PATTERN, markOfProcess } from '../../src/files/process-mark.ts';

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
