import { chmod, mkdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { documentsVersion, glanceAt, lookInto, makeSettling } from '../../../jobs/inbox/look.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

test.each([
  ['a\n', { endsWhole: true }],
  ['a\r\n', { endsWhole: true }],
  ['a\r', { endsWhole: true }],
  ['a', { endsWhole: false }],
  ['', { hindrance: 'empty' }],
  [Buffer.from('a\n', 'utf16le'), { endsWhole: true }],
  [Buffer.from('a\nb', 'utf16le'), { endsWhole: false }],
])('a look at a file finds whether its content %j ends with a line break', async (content, glance) => {
  const { write } = await makeTemporaryFolder();
  expect(await glanceAt(Buffer.from(await write('q4.csv', content)), 'q4.csv')).toMatchObject(glance);
});

test('an unreadable file is locked, and a missing file or a link is ignored', async () => {
  const { dir, write } = await makeTemporaryFolder();
  const path = await write('q4.csv', 'a\n');
  await chmod(path, 0);
  await chmod(dir, 0o755);
  // Root may read any file, so this look runs as nobody.
  const { geteuid, seteuid } = process;
  const isRoot = geteuid?.() === 0;
  onTestFinished(() => void (isRoot && seteuid?.(0)));
  if (isRoot) seteuid?.(65_534);
  const glance = await glanceAt(Buffer.from(path), 'q4.csv').finally(() => isRoot && seteuid?.(0));
  expect(glance).toMatchObject({ hindrance: 'locked' });
  await rm(path);
  expect(await glanceAt(Buffer.from(path), 'q4.csv')).toBeUndefined();
  await symlink('/etc/passwd', path);
  expect(await glanceAt(Buffer.from(path), 'q4.csv')).toBeUndefined();
});

test('a rewritten file has another version, even if its time is set back', async () => {
  const { dir, write } = await makeTemporaryFolder();
  const look = async () => (await lookInto(dir)).buyers[0]?.version;
  const path = await write('q4.csv', 'a\n');
  await utimes(path, 1, 1);
  const first = await look();
  await writeFile(path, 'ab\n');
  await utimes(path, 1, 1);
  expect(await look()).not.toBe(first);
});

test('a documents folder has another version after each change, at every depth', async () => {
  const { dir, write } = await makeTemporaryFolder();
  const seen = [await documentsVersion(dir, ['q4'])];
  await mkdir(join(dir, 'q4'));
  const steps = [
    () => write('q4/a.pdf', 'a'),
    () => write('q4/2026/b.pdf', 'b'),
    () => write('q4/2026/b.pdf', 'bb'),
    () => rm(join(dir, 'q4/a.pdf')),
  ];
  for (const step of steps) {
    await step();
    seen.push(await documentsVersion(dir, ['q4']));
  }
  expect(new Set(seen).size).toBe(seen.length);
});

test('a file has settled after it stayed the same long enough, and each change starts the time anew', () => {
  let nowMs = 0;
  const settling = makeSettling(() => nowMs);
  const at = (ms: number, version: string) => {
    nowMs = ms;
    settling.begin();
    return settling.left('1:2', version, 5_000);
  };
  expect([at(0, 'a'), at(3_000, 'a'), at(4_000, 'b'), at(8_999, 'b'), at(9_000, 'b')]).toEqual([
    5_000, 2_000, 5_000, 1, 0,
  ]);
  // A file that one look did not find is forgotten.
  settling.begin();
  expect(at(9_001, 'b')).toBe(5_000);
});
