import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openSocketPath, SOCKET_NAME } from '../../../src/redis/own/folder.ts';

/** As many bytes as Linux has room for, its end mark not counted. */
const MOST_BYTES = 107;

function makeDir(below = ''): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'limitline-socket-')));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  mkdirSync(join(dir, below), { recursive: true });
  return join(dir, below);
}

test('a short path is used as it is', () => {
  const folder = makeDir();
  const { path, close } = openSocketPath(folder);
  expect(path).toBe(join(folder, SOCKET_NAME));
  close();
});

test('a long path leads through a link of this process alone, which is removed in the end', () => {
  const folder = makeDir('d'.repeat(MOST_BYTES));
  writeFileSync(join(folder, SOCKET_NAME), '');
  const { path, close } = openSocketPath(folder);
  expect(Buffer.byteLength(path)).toBeLessThanOrEqual(MOST_BYTES);
  expect(realpathSync(path)).toBe(join(folder, SOCKET_NAME));
  close();
  expect(existsSync(dirname(path))).toBe(false);
  expect(existsSync(folder)).toBe(true);
});

test('a long path and a long temporary folder are refused, and nothing is left there', () => {
  const before = process.env.TMPDIR;
  onTestFinished(() => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  });
  const folder = makeDir('d'.repeat(MOST_BYTES));
  const temporary = makeDir('t'.repeat(MOST_BYTES));
  process.env.TMPDIR = temporary;
  expect(() => openSocketPath(folder)).toThrow(
    expect.objectContaining({ code: 'FILE', message: expect.stringMatching(/too long.*LIMITLINE_DATA or TMPDIR/) }),
  );
  expect(readdirSync(temporary)).toEqual([]);
});
