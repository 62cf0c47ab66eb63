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

test('a folder keeps its id when it is moved, and a new one in its place has another', () => {
  const [dir, other] = [makeDir(), makeDir()];
  const folder = openFolder(dir);
  renameSync(folder.path, join(other, 'redis'));
  expect(openFolder(other).id).toBe(folder.id);
  expect(openFolder(dir).id).not.toBe(folder.id);
});

test.each<[string, (path: string) => void]>([
  ['deleted', (path) => rmSync(path, { recursive: true })],
  [
    'moved, with another in its place',
    (path) => {
      renameSync(path, `${path}-moved`);
      mkdirSync(path);
    },
  ],
])('a folder that was %s while it was in use is told from the one that was opened', (_how, takeAway) => {
  const folder = openFolder(makeDir());
  expect(() => checkInPlace(folder)).not.toThrow();
  takeAway(folder.path);
  expect(() => checkInPlace(folder)).toThrow(
    expect.objectContaining({ code: 'FILE', message: expect.stringContaining('was moved or deleted') }),
  );
});
