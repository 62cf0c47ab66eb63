import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { FORMAT } from './ledger-format.ts';

/** The folder of package.json: above `src`, or above `dist/src`, which is built from it. */
export const ROOT = resolve(import.meta.dirname, import.meta.url.endsWith('.ts') ? '..' : '../..');

/** Characters of a short commit id. */
const SHORT = 9;

export function readVersion(): string {
  return String((JSON.parse(textOf(ROOT, 'package.json')) as { version: unknown }).version);
}

/** Version and commit as one word, such as `0.1.1+4f11aa1d4`: equal for processes that run the same code. */
export function readBuild(root = ROOT): string {
  const commit = readCommit(root);
  return commit === undefined ? readVersion() : `${readVersion()}+${commit}`;
}

export function versionWords(root = ROOT): string {
  return `${readVersion()} (commit ${readCommit(root) ?? 'not known'}, ledger format ${FORMAT})`;
}

/** The JSON of `--version --json`; `commit` is null where none is known. */
export function versionJson(): string {
  return JSON.stringify({ version: readVersion(), commit: readCommit() ?? null, format: Number(FORMAT) }, null, 2);
}

/**
 * The commit. In an image and in a package it is in `commit.txt`, which their builds write (Dockerfile, scripts/build.ts). Elsewhere it is
 * read from git's files, since running git would slow down commands.
 */
export function readCommit(root = ROOT): string | undefined {
  const given = textOf(root, 'commit.txt') || textOf(import.meta.dirname, 'commit.txt');
  if (given !== '') return given.slice(0, SHORT);
  // In a second work tree, `.git` is a file with the path of the work tree's own folder. `commondir` in that folder has the path of the
  // folder with the branches.
  const [, elsewhere = '.git'] = /^gitdir: (.+)/.exec(textOf(root, '.git')) ?? [];
  const folder = resolve(root, elsewhere);
  const head = textOf(folder, 'HEAD');
  const [, branch] = /^ref: (.+)/.exec(head) ?? [];
  if (branch === undefined) return head.slice(0, SHORT) || undefined;
  const common = resolve(folder, textOf(folder, 'commondir'));
  const packed = () => new RegExp(`^(\\w+) ${RegExp.escape(branch)}$`, 'm').exec(textOf(common, 'packed-refs'))?.[1];
  return (textOf(common, branch) || packed())?.slice(0, SHORT);
}

/** The contents of a file; '' without one. */
function textOf(...path: string[]): string {
  try {
    return readFileSync(join(...path), 'utf8').trim();
  } catch {
    return '';
  }
}
