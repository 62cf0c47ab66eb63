import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { versionWords } from '../../src/version.ts';
import { ownDataHome } from '../support/command.ts';
import { MACHINE_PATH, run } from '../support/set-up.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const PACKAGE = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

/** The Node of this test goes first, whichever one the machine has. */
const PATH = [dirname(process.execPath), MACHINE_PATH].join(delimiter);

/** Errors of npm that mean that its registry cannot be reached. */
const CUT_OFF = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ERR_SOCKET_TIMEOUT|CERT/;

/** In decimal units, as registries count. */
const MOST_BYTES = 2_000_000;

describe('the package that npm pack makes', () => {
  let folder: string;
  /** Paths in the installed package. */
  let files: string[];
  let packedBytes: number;
  let isCutOff = false;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'limitline-package-'));
    const name = (await npm(['pack', '--silent', '--pack-destination', folder], ROOT)).trim();
    packedBytes = statSync(join(folder, name)).size;
    writeFileSync(join(folder, 'package.json'), '{}');
    const quietly = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error', '--fetch-retries=0'];
    const installed = await runNpm(['install', `./${name}`, '--omit=dev', ...quietly], folder);
    isCutOff = CUT_OFF.test(installed.stderr);
    if (isCutOff) return;
    expect(installed).toMatchObject({ code: 0 });
    files = filesBelow(join(folder, 'node_modules/limitline'));
  }, 300_000);
  beforeEach((context) => context.skip(isCutOff, 'npm does not reach its registry here'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const missing = (wanted: string[]) => wanted.filter((file) => !files.includes(file));

  test('is smaller than two megabytes', () => {
    expect(packedBytes).toBeLessThan(MOST_BYTES);
  });

  test('has the built files and the files that these read at run time, and no sources and no tests', () => {
    const built = files.filter((file) => /^dist\/(?:src|jobs|scripts)\/.*\.js$/.test(file) && !/\/assets\//.test(file));
    expect(built.length).toBeGreaterThan(500);
    expect(built).toContain('dist/jobs/drafts/preview-thread.js');
    const beside = built.flatMap((file) => [file.replace(/js$/, 'd.ts'), `${file}.map`]);
    expect(missing(beside)).toEqual([]);
    const readLater = filesBelow(join(ROOT, 'src')).filter((file) => !file.endsWith('.ts'));
    expect(readLater.some((file) => file.endsWith('.lua')) && readLater.some((file) => file.endsWith('.css'))).toBe(
      true,
    );
    expect(missing(readLater.map((file) => `dist/src/${file}`))).toEqual([]);
    expect(
      files.filter((file) => /(?<!\.d)\.ts$|test\/|\.test\.|bench|\.(?:results|errors)[\w.]*\.csv$/.test(file)),
    ).toEqual([]);
    expect(missing(['README.md', 'CHANGELOG.md', 'LICENSE', 'docs/deployment.md'])).toEqual([]);
  });

  test('has source maps that name the file and line of an error', () => {
    const text = (path: string) => readFileSync(join(folder, 'node_modules/limitline', path), 'utf8');
    const lineOf = (source: string) =>
      source.split('\n').findIndex((line) => line.includes('export function versionWords'));
    const map = new SourceMap(JSON.parse(text('dist/src/version.js.map')));
    expect(map.findEntry(lineOf(text('dist/src/version.js')), 4)).toMatchObject({
      originalSource: '../../src/version.ts',
      originalLine: lineOf(readFileSync(join(ROOT, 'src/version.ts'), 'utf8')),
    });
  });

  test('brings no development dependency and no Node', () => {
    const brought = readdirSync(join(folder, 'node_modules'));
    expect(brought.filter((name) => name === 'node' || name.startsWith('node-linux'))).toEqual([]);
    expect(brought).not.toContain('vitest');
    expect(brought).not.toContain('typescript');
  });

  test('prints its version and the commit from which it was built', async () => {
    expect(await limitline(folder, ['--version'])).toBe(`${versionWords()}\n`);
  });

  test('runs its example with its own Redis and stand-in, and every limit is approved', async () => {
    const example = 'node_modules/limitline/examples/clean.csv';
    const report = await limitline(folder, ['run', example, '--results', '.', '--json']);
    expect(JSON.parse(report)).toMatchObject({ lines: 5, states: { done: 5 }, statuses: { approved: 5 } });
    const lines: string[][] = parse(readFileSync(join(folder, 'clean.results.csv'), 'utf8'));
    const idAt = lines[0]?.indexOf('buyer_limit_id') ?? -1;
    expect(lines.slice(1).map((line) => line[idAt])).toEqual(Array(5).fill(expect.stringMatching(/^bl_/)));
  });
});

test('the package requires the Node version that the set-up and the command use', () => {
  const needed = /^>=(\d+)$/.exec(PACKAGE.engines.node)?.[1];
  const read = (name: string) => readFileSync(join(ROOT, name), 'utf8');
  expect(/NODE_VERSION = '(\d+)\./.exec(read('scripts/setup.mjs'))?.[1]).toBe(needed);
  expect(/NEEDED = (\d+);/.exec(read('scripts/limitline.cjs'))?.[1]).toBe(needed);
});

/** Runs the installed command without the settings of the person who runs this test. */
async function limitline(folder: string, args: string[]): Promise<string> {
  const env = { PATH, HOME: process.env.HOME, ...ownDataHome(folder) };
  return (await promisify(execFile)(join(folder, 'node_modules/.bin/limitline'), args, { cwd: folder, env })).stdout;
}

/** Keeps NODE_EXTRA_CA_CERTS, since the registry may be behind a proxy. */
function runNpm(args: string[], cwd: string) {
  const { NODE_EXTRA_CA_CERTS } = process.env;
  return run('npm', args, { cwd, env: { PATH, ...(NODE_EXTRA_CA_CERTS ? { NODE_EXTRA_CA_CERTS } : {}) } });
}

async function npm(args: string[], cwd: string): Promise<string> {
  const { stdout, ...rest } = await runNpm(args, cwd);
  expect({ args, ...rest }).toMatchObject({ code: 0 });
  return stdout;
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}
