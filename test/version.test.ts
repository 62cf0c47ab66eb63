import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FORMAT } from '../src/ledger-format.ts';
import { readBuild, readVersion, versionWords } from '../src/version.ts';
import { makeFolder } from './support/workplace.ts';

const COMMIT = '4f11aa1d4c0de4c0de4c0de4c0de4c0de4c0de42';
const SAID = `${readVersion()} (commit 4f11aa1d4, ledger format ${FORMAT})`;

/** A folder with these files, by their paths. */
async function folderOf(files: Record<string, string>): Promise<string> {
  const root = await makeFolder();
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(root, path, '..'), { recursive: true });
    await writeFile(join(root, path), `${text}\n`);
  }
  return root;
}

test.each<[string, Record<string, string>]>([
  ['a branch', { '.git/HEAD': 'ref: refs/heads/main', '.git/refs/heads/main': COMMIT }],
  ['a packed branch', { '.git/HEAD': 'ref: refs/heads/a.b', '.git/packed-refs': `# pack\n${COMMIT} refs/heads/a.b` }],
  ['a detached HEAD', { '.git/HEAD': COMMIT }],
  [
    'a second work tree',
    {
      '.git': 'gitdir: main/worktrees/two',
      'main/worktrees/two/HEAD': 'ref: refs/heads/two',
      'main/worktrees/two/commondir': '../..',
      'main/refs/heads/two': COMMIT,
    },
  ],
  ['an image without git', { 'commit.txt': COMMIT }],
])('the version shows the commit of %s', async (_what, files) => {
  const root = await folderOf(files);
  expect(versionWords(root)).toBe(SAID);
  expect(readBuild(root)).toBe(`${readVersion()}+4f11aa1d4`);
});

test('an unknown commit is shown as not known', async () => {
  const root = await makeFolder();
  expect(versionWords(root)).toBe(`${readVersion()} (commit not known, ledger format ${FORMAT})`);
  expect(readBuild(root)).toBe(readVersion());
});

test.runIf(existsSync(join(import.meta.dirname, '../.git')))('the version shows the commit that git reports', () => {
  const git = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: import.meta.dirname, encoding: 'utf8' });
  expect(versionWords()).toContain(`commit ${git.slice(0, 9)}`);
});
