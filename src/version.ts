import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { FORMAT } from './lua-script.ts';

/** The folder of package.json: above `src`, or above `dist/src`, which is built of it. */
export const ROOT = resolve(import.meta.dirname, import.meta.url.endsWith('.ts') ? '..' : '../..');

/** As many characters of a commit as people compare. */
const SHORT = 9;

/** The version of Limitline, as its package says it. */
export function readVersion(): string {
  return String((JSON.parse(textOf(ROOT, 'package.json')) as { version: unknown }).version);
}

/** Version and commit as one word, such as `0.1.1+4f11aa1d4`: two processes of one word run the same code. */
export function readBuild(root = ROOT): string {
  const commit = readCommit(root);
  return commit === undefined ? readVersion() : `${readVersion()}+${commit}`;
}

/** What `--version` says: version, commit, and the format in which the ledger is written. */
export function versionWords(root = ROOT): string {
  return `${readVersion()} (commit ${readCommit(root) ?? 'not known'}, ledger format ${FORMAT})`;
}

/**
 * The commit, from the files of git and without it, since a command would wait for that; or from `commit.txt`, which is written where an
 * image is built (Dockerfile), or beside this file where a package is (scripts/build.ts).
 */
export function readCommit(root = ROOT): string | undefined {
  const given = textOf(root, 'commit.txt') || textOf(import.meta.dirname, 'commit.txt');
  if (given !== '') return given.slice(0, SHORT);
  // In a second work tree `.git` is a file that names the folder, and that folder names the one with the branches.
  const [, elsewhere = '.git'] = /^gitdir: (.+)/.exec(textOf(root, '.git')) ?? [];
  const folder = resolve(root, elsewhere);
  const head = textOf(folder, 'HEAD');
  const [, branch] = /^ref: (.+)/.exec(head) ?? [];
  if (branch === undefined) return head.slice(0, SHORT) || undefined;
  const common = resolve(folder, textOf(folder, 'commondir'));
  const packed = () => new RegExp(`^(\\w+) ${RegExp.escape(branch)}$`, 'm').exec(textOf(common, 'packed-refs'))?.[1];
  return (textOf(common, branch) || packed())?.slice(0, SHORT);
}

/** What stands in a file; nothing where there is none. */
function textOf(...path: string[]): string {
  try {
    return readFileSync(join(...path), 'utf8').trim();
  } catch {
    return '';
  }
}
