import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { chooseDataFolder, folderWords, makeFolder, type NamedFolder, type Surroundings } from '../src/data-folder.ts';
import { makeFolder as makeTestFolder } from './support/workplace.ts';

let [cwd, home]: string[] = [];
beforeEach(async () => {
  [cwd, home] = [await makeTestFolder(), await makeTestFolder()];
});

const choose = (
  env: Surroundings['env'] = {},
  others: Partial<Surroundings> = {},
  named?: string,
  where: NamedFolder['in'] = 'environment',
) =>
  chooseDataFolder(named === undefined ? undefined : { path: named, in: where }, {
    env: { HOME: home, ...env },
    cwd: cwd ?? '',
    platform: 'linux',
    ...others,
  });

/** Puts a file into a folder, as an earlier command would. */
function use(folder: string): string {
  mkdirSync(join(folder, 'imports', 'ab'), { recursive: true });
  writeFileSync(join(folder, 'imports', 'ab', 'abc'), 'a file');
  return folder;
}

describe("the user's own folder", () => {
  test.each<[string, NodeJS.Platform, NodeJS.Dict<string>, string]>([
    ['on Linux', 'linux', {}, '/h/.local/share/limitline'],
    ['on macOS', 'darwin', {}, '/h/Library/Application Support/limitline'],
    ['on Windows', 'win32', { LOCALAPPDATA: '/h/Local' }, '/h/Local/limitline'],
    ['on Windows without LOCALAPPDATA', 'win32', {}, '/h/AppData/Local/limitline'],
    ['by XDG_DATA_HOME', 'linux', { XDG_DATA_HOME: '/data/mine' }, '/data/mine/limitline'],
    [
      'with a relative XDG_DATA_HOME, which is ignored',
      'linux',
      { XDG_DATA_HOME: 'mine' },
      '/h/.local/share/limitline',
    ],
    ['with an empty XDG_DATA_HOME', 'linux', { XDG_DATA_HOME: '' }, '/h/.local/share/limitline'],
  ])('%s', (_name, platform, env, path) => {
    expect(choose({ HOME: '/h', ...env }, { platform })).toEqual({ path, by: 'user' });
  });

  test('is an error if the user has no home, unless LIMITLINE_DATA is given', () => {
    const homeless = () => {
      throw new Error('ENOENT');
    };
    expect(() => choose({ HOME: undefined }, { home: homeless })).toThrow(/no home.*LIMITLINE_DATA/);
    expect(choose({ HOME: undefined }, { home: homeless }, '/d')).toEqual({ path: '/d', by: 'setting' });
  });
});

describe('a folder given by LIMITLINE_DATA', () => {
  // Promise: no-ledger-guessed
  test.each<[string, string, NamedFolder['in'], string]>([
    ['as an absolute path', '/d/../e', 'environment', '/e'],
    ['below the home', '~/limitline', 'environment', '/h/limitline'],
    ['as the home', '~', '.env', '/h'],
    ['in .env, relative to that file', './d', '.env', '/work/d'],
  ])('%s is the same in every working directory', (_name, named, where, path) => {
    expect(choose({ HOME: '/h' }, { cwd: '/work' }, named, where)).toEqual({ path, by: 'setting' });
  });

  // Promise: no-ledger-guessed
  test.each<[string, NamedFolder['in'], string]>([
    ['d', 'environment', 'whole path, such as /work/d'],
    ['../d', 'environment', 'whole path, such as /d'],
    ['~anna/d', 'environment', 'whole path'],
    ['~anna/d', '.env', 'whole path'],
  ])('as %s in the %s is an error: it would be another ledger in each working directory', (named, where, words) => {
    const fault = new RegExp(`^LIMITLINE_DATA is "${named}", .*another folder in every working directory.*${words}$`);
    expect(() => choose({ HOME: '/h' }, { cwd: '/work' }, named, where)).toThrow(fault);
  });
});

describe('a .limitline in the working directory', () => {
  // Promise: no-ledger-guessed
  test("is used before the user's folder, and the description says so", () => {
    const here = use(join(cwd ?? '', '.limitline'));
    expect(choose()).toEqual({ path: here, by: 'here' });
    expect(folderWords(choose())).toBe(`data folder ${here} (found here, and used before the user's own)`);
  });

  test('does not count if it is empty or holds only empty folders', () => {
    mkdirSync(join(cwd ?? '', '.limitline', 'redis'), { recursive: true });
    expect(choose()).toMatchObject({ by: 'user' });
  });

  // Promise: no-ledger-guessed
  test('is an error beside a used folder of the user, until LIMITLINE_DATA chooses', () => {
    const here = use(join(cwd ?? '', '.limitline'));
    const user = join(home ?? '', '.local/share/limitline');
    mkdirSync(user, { recursive: true });
    expect(choose()).toMatchObject({ by: 'here' });
    use(user);
    const both = new RegExp(
      `two data folders.*${here} \\(no ledger of its own, 1 imported file, last written 20.*${user} \\(.*LIMITLINE_DATA`,
    );
    expect(() => choose()).toThrow(both);
    expect(choose({}, {}, here)).toEqual({ path: here, by: 'setting' });
  });

  test("may be a link to the user's folder", () => {
    symlinkSync(use(join(home ?? '', '.local/share/limitline')), join(cwd ?? '', '.limitline'));
    expect(choose()).toMatchObject({ by: 'here' });
  });
});

test('a folder is made with its parents, and an error is thrown if the system refuses', () => {
  const path = join(cwd ?? '', 'a', 'b');
  expect([makeFolder(path), makeFolder(path)]).toEqual([true, false]);
  expect(existsSync(path)).toBe(true);
  // Node's own recursive mkdir never returns here.
  expect(() => makeFolder('/proc/x/y')).toThrow(/ENOENT/);
  writeFileSync(join(path, 'file'), '');
  expect(() => makeFolder(join(path, 'file', 'c'))).toThrow(/EEXIST|ENOTDIR/);
});
