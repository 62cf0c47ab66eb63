import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openSocketPath, SOCKET_NAME } from '../../../src/redis/own/folder.ts';

/** The bytes that Linux allows, without the terminating zero. */
const MOST_BYTES = 107;

function makeDir(below = ''): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'limitline-socket-')));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  mkdirSync(join(dir, below), { recursive: true });
  return join(dir, below);
}

test('a short socket path is used as it is', () => {
  const folder = makeDir();
  const { path, close } = openSocketPath(folder);
  expect(path).toBe(join(folder, SOCKET_NAME));
  close();
});

test('a long socket path is reached by a private link, which is removed on close', () => {
  const folder = makeDir('d'.repeat(MOST_BYTES));
  writeFileSync(join(folder, SOCKET_NAME), '');
  const { path, close } = openSocketPath(folder);
  expect(Buffer.byteLength(path)).toBeLessThanOrEqual(MOST_BYTES);
  expect(realpathSync(path)).toBe(join(folder, SOCKET_NAME));
  close();
  expect(existsSync(dirname(path))).toBe(false);
  expect(existsSync(folder)).toBe(true);
});

test('a long socket path with a long temporary folder is refused, and nothing is left behind', () => {
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
