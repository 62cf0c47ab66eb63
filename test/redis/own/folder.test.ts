import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { checkInPlace, openFolder } from '../../../src/redis/own/folder.ts';

function makeDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'limitline-folder-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

test('a data folder keeps its id when it is moved, and a new one in its place gets another', () => {
  const [dir, other] = [makeDir(), makeDir()];
  const folder = openFolder(dir);
  renameSync(folder.path, join(other, 'redis'));
  expect(openFolder(other).id).toBe(folder.id);
  expect(openFolder(dir).id).not.toBe(folder.id);
});

test.each<[string, (path: string) => void]>([
  ['deleted', (path) => rmSync(path, { recursive: true })],
  [
    'moved and replaced by another',
    (path) => {
      renameSync(path, `${path}-moved`);
      mkdirSync(path);
    },
  ],
])('a folder that was %s while in use is told apart from the opened one', (_how, takeAway) => {
  const folder = openFolder(makeDir());
  expect(() => checkInPlace(folder)).not.toThrow();
  takeAway(folder.path);
  expect(() => checkInPlace(folder)).toThrow(
    expect.objectContaining({ code: 'FILE', message: expect.stringContaining('was moved or deleted') }),
  );
});
