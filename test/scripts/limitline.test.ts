import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const COMMAND = join(ROOT, 'scripts/limitline.cjs');

test('--version says the version of the package, and nothing else', () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  expect(execFileSync(process.execPath, [COMMAND, '--version'], { encoding: 'utf8' })).toBe(`${version}\n`);
});

test('an older Node says which one is needed, in one line', () => {
  const pretend = `Object.defineProperty(process.versions, 'node', { value: '18.20.1' }); require(${JSON.stringify(COMMAND)})`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', pretend], { encoding: 'utf8' });
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toMatch(
    /^limitline: this is Node 18\.20\.1, and Limitline needs Node 24 or later: run it as npx .*\n$/,
  );
});

test('what an older Node has to read has nothing in it that is newer than ES5, but for the import that it never reaches', () => {
  const code = readFileSync(COMMAND, 'utf8').replace(/'[^'\n]*'|\/\/.*|\/\*\*.*\*\//g, '');
  expect(code).not.toMatch(/=>|`|\b(const|let|class|await|async)\b|\?\?|\?\./);
});
