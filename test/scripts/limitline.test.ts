import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { COMMANDS } from '../../scripts/command-list.ts';
import { ignoresHangUp, isHangUpIgnored } from '../../scripts/process/long-running.ts';
import { makeFolder } from '../support/workplace.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const COMMAND = join(ROOT, 'scripts/limitline.cjs');

// Promise: version-commit-format
test('--version prints version, commit and ledger format only, and needs no git', () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const said = execFileSync(process.execPath, [COMMAND, '--version'], { encoding: 'utf8', env: { PATH: '/nowhere' } });
  expect(said).toMatch(/^\d+\.\d+\.\d+ \(commit (?:[\da-f]{9}|not known), ledger format \d+\)\n$/);
  expect(said.split(' ')[0]).toBe(version);
});

test('--version --json prints the same facts as JSON', () => {
  const said = execFileSync(process.execPath, [COMMAND, '--version', '--json'], { encoding: 'utf8' });
  expect(JSON.parse(said)).toEqual({
    version: expect.stringMatching(/^\d/),
    commit: expect.toBeOneOf([expect.stringMatching(/^[\da-f]{9}$/), null]),
    format: expect.any(Number),
  });
});

test('the help has each command, and fits into 80 columns', () => {
  const help = execFileSync(process.execPath, [COMMAND, '--help'], { encoding: 'utf8' });
  const names = [...help.matchAll(/^ {2}([a-z-]+) /gm)].map(([, name]) => name);
  expect(names).toEqual(expect.arrayContaining(Object.keys(COMMANDS)));
  expect(help.split('\n').filter((line) => line.length > 80)).toEqual([]);
});

test.runIf(existsSync(join(ROOT, 'node_modules/.bin/node')))(
  'the command finds the installed Node through a link and from its own folder, whatever Node is on the PATH',
  async () => {
    const link = join(await makeFolder(), 'limitline');
    symlinkSync(COMMAND, link);
    // The node on the PATH is a substitute that does nothing.
    const env = { PATH: `${await makeNode('echo other')}:/usr/bin:/bin` };
    for (const command of [link, COMMAND]) {
      expect(execFileSync('sh', [command, '--version'], { encoding: 'utf8', env })).toMatch(/^\d+\.\d+/);
    }
  },
);

// Promise: nohup-continues
test.runIf(process.platform === 'linux')(
  'an ignored SIGHUP is passed on to Node, which forgets it at its start',
  async () => {
    const folder = await makeNode('echo "SigIgn: $STARTED_IGNORING"');
    symlinkSync(COMMAND, join(folder, 'limitline'));
    const passedOn = (before: string) =>
      execFileSync('sh', ['-c', `${before} exec sh "$1"`, 'sh', join(folder, 'limitline')], { encoding: 'utf8' });
    expect([passedOn("trap '' HUP;"), passedOn('')].map(ignoresHangUp)).toEqual([true, false]);
    vi.stubEnv('STARTED_IGNORING', '0000000000000001');
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(isHangUpIgnored()).toBe(true);
  },
);

/** A folder with a `node` that runs this script. */
async function makeNode(script: string): Promise<string> {
  const folder = await makeFolder();
  writeFileSync(join(folder, 'node'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return folder;
}

// Promise: own-node
test('the Node in the folder of the command is used before any other on the PATH', async () => {
  const folder = await makeNode('echo "beside: $*"');
  symlinkSync(COMMAND, join(folder, 'limitline'));
  const env = { PATH: `${await makeNode('echo other')}:/usr/bin:/bin` };
  const said = execFileSync('sh', [join(folder, 'limitline'), 'a b'], { encoding: 'utf8', env });
  expect(said).toMatch(/^beside: .*limitline a b\n$/);
});

// Promise: says-which-node
test('an older Node prints which version is needed, in one line', () => {
  const pretend = `Object.defineProperty(process.versions, 'node', { value: '18.20.1' }); require(${JSON.stringify(COMMAND)})`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', pretend], { encoding: 'utf8' });
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toMatch(
    /^limitline: this is Node 18\.20\.1, and Limitline needs Node 24 or later: install it \(https:\/\/nodejs.org\), or, if Limitline is in a folder of its own, .* npm install node-\w+-\w+@24 \(.*npm run setup\)\.\n$/,
  );
});

test('the code that an older Node reads has no syntax newer than ES5, except the import that it never reaches', () => {
  const code = readFileSync(COMMAND, 'utf8').replace(/'[^'\n]*'|\/\/.*|\/\*\*.*\*\//g, '');
  expect(code).not.toMatch(/=>|`|\b(const|let|class|await|async)\b|\?\?|\?\./);
});

// Promise: json-also-of-faults
test.each([
  [['resolve', 'q4'], 'Say which held rows'],
  [['check', 'none.csv'], 'none.csv'],
  [['nothing-of-the-kind'], 'nothing-of-the-kind'],
  [['report', 'q4', '--format', 'csv'], '--format csv another format'],
  [['work'], 'LOG_LEVEL is "loud"'],
  [['service'], 'LOG_LEVEL is "loud"'],
])('with --json, a fault of %j is also a JSON object on standard output', async (args, words) => {
  const cwd = await makeFolder();
  const env = { PATH: process.env.PATH, XDG_DATA_HOME: join(cwd, 'data'), ...(args[1] ? {} : { LOG_LEVEL: 'loud' }) };
  const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, ...args, '--json'], {
    cwd,
    env,
    encoding: 'utf8',
  });
  expect(status).toBe(1);
  expect(stderr).not.toBe('');
  expect(JSON.parse(stdout)).toEqual({ error: expect.stringContaining(words), status: 1 });
});

// Promise: fault-in-one-line
test.each([
  [['foo'], "unknown command 'foo'", '(limitline --help lists the commands)'],
  [['wok'], "unknown command 'wok' (Did you mean work?)", '(limitline --help lists the commands)'],
  [['check', '--nope', 'a.csv'], "unknown option '--nope'", '(limitline check --help lists its arguments and options)'],
  [['user', 'nope'], "unknown command 'nope'", '(limitline user --help lists its commands)'],
  [
    ['user', 'remove'],
    "missing required argument 'name'",
    '(limitline user remove --help lists its arguments and options)',
  ],
])('faulty arguments %j are reported in one line that names the right help command', async (args, fault, help) => {
  const given = { encoding: 'utf8', cwd: await makeFolder() } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, '--json', ...args], given);
  expect(status).toBe(1);
  expect(JSON.parse(stdout)).toEqual({ error: fault.replace(' (', '\n('), status: 1 });
  expect(stderr).toBe(`error: ${fault} ${help}\n`);
});

test('a group of commands without a subcommand is reported as incomplete', async () => {
  const given = { encoding: 'utf8', cwd: await makeFolder() } as const;
  const { stdout } = spawnSync(process.execPath, [COMMAND, '--json', 'user'], given);
  expect(JSON.parse(stdout)).toEqual({ error: 'a command is missing', status: 1 });
});
