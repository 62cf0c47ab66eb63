import { cp, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { STAND_IN_CREDENTIALS } from '../../src/config.ts';
import { bundled } from '../support/bundle.ts';
import { KEYS, startOnTerminal, startScript } from '../support/command.ts';
import { openByLink } from '../support/desk.ts';
import { makeFolder, startStandIn } from '../support/workplace.ts';

/** The script that npm starts. The help is tested with it; other tests use the bundled script, which starts faster. */
const SOURCE = fileURLToPath(new URL('../../scripts/start.ts', import.meta.url));
const EXAMPLES = fileURLToPath(new URL('../../examples', import.meta.url));

/** A folder whose `.env` names a service, as after a first real portfolio. */
async function openDesk() {
  const cwd = await makeFolder();
  const service = await startStandIn();
  const { clientId, clientSecret } = STAND_IN_CREDENTIALS;
  const settings = [`SERVICE_URL=${service.url()}`, `SERVICE_CLIENT_ID=${clientId}`];
  await writeFile(join(cwd, '.env'), [...settings, `SERVICE_CLIENT_SECRET=${clientSecret}`, ''].join('\n'));
  const start = (args: string[], env: Record<string, string> = {}) =>
    startScript(bundled('start'), args, { cwd, env }).ended;
  return { cwd, service, start };
}

/** Deletes the results that `npm start` writes beside the example when the test ends. */
async function leaveExamplesAsTheyAre(): Promise<void> {
  const before = new Set(await readdir(EXAMPLES));
  onTestFinished(async () => {
    const left = (await readdir(EXAMPLES)).filter((name) => !before.has(name));
    await Promise.all(left.map((name) => rm(join(EXAMPLES, name))));
  });
}

// Promises: npm-start-asks-stand-in, start-goes-on-with-console
test('npm start without a file uses only the stand-in, and lists the settings that it ignores', async () => {
  const { service, start } = await openDesk();
  await leaveExamplesAsTheyAre();
  const ended = await start(['--json'], { SERVICE_ACCOUNT: 'live', SERVICE_CLIENT_SECRET_FILE: '/nowhere/secret' });
  expect(ended).toMatchObject({ status: 0, stderr: expect.stringMatching(/SERVICE_URL is ignored/) });
  expect(JSON.parse(ended.stdout)).toMatchObject({
    account: 'stand-in',
    portfolio: 'portfolio',
    states: { refused: 0 },
  });
  expect(service.counts().requests).toEqual(expect.objectContaining({ token: {}, company: {}, limit: {} }));
});

// Promises: link-opens-once, start-goes-on-with-console
test('npm start on a terminal prints the report of the example, and keeps the console running until Ctrl-C', async () => {
  const { cwd, service } = await openDesk();
  await leaveExamplesAsTheyAre();
  const { shown, press, ended } = startOnTerminal([], { cwd, env: { CONSOLE_PORT: '0' }, script: bundled('start') });
  await expect.poll(shown).toMatch(/The console is at http:\S+/);
  expect(shown()).toMatch(/STAND-IN[\s\S]*approved[\s\S]*The console is at/);
  const url = /The console is at (http:\S+)/.exec(shown())?.[1] ?? '';
  await expect.poll(shown).toContain('?token=');
  const link = / {2}(http:\S+\?token=[\w-]+)/.exec(shown())?.[1] ?? '';
  expect((await (await openByLink(link)).get('/keys')).text).toMatch(/STAND-IN.*1 worker seen/s);
  press(KEYS.ctrlC);
  expect(await ended).toMatchObject({ status: 0, shown: expect.not.stringContaining('started again') });
  await expect(fetch(url)).rejects.toThrow();
  expect(service.counts().requests.token).toEqual({});
});

// Promise: npm-start-asks-stand-in
test('npm start with a file does the same as run, with all its options', async () => {
  const { cwd, service, start } = await openDesk();
  await cp(EXAMPLES, join(cwd, 'in'), { recursive: true });
  const args = ['in/clean.csv', '--portfolio', 'X', '--documents', 'in/documents', '--supplier', 'in/supplier.csv'];
  const ended = await start([...args, '--json']);
  expect(ended.status).toBe(0);
  const report = JSON.parse(ended.stdout);
  expect(report).toMatchObject({
    account: service.url(),
    portfolio: 'X',
    supplier: expect.stringMatching(/^company_/),
  });
  expect(service.counts().made.limit).toBe(report.rows);
});

test('npm start reports an unknown argument in one line and starts nothing', async () => {
  const { cwd, service, start } = await openDesk();
  const faults: [string[], RegExp][] = [
    [['a.csv', '--portfolios', 'X'], /--portfolios/],
    [['a.csv', 'b.csv'], /b\.csv/],
  ];
  const all = await Promise.all(faults.map(([args]) => start(args)));
  for (const [place, [, named]] of faults.entries()) {
    expect(all[place]).toMatchObject({ status: 1, stdout: '', stderr: expect.stringMatching(/^[^\n]+\n$/) });
    expect(all[place]?.stderr).toMatch(named);
  }
  const help = await startScript(SOURCE, ['--help'], { cwd }).ended;
  expect(help).toMatchObject({
    status: 0,
    stderr: '',
    stdout: expect.stringContaining('npm start -- [FILE] [options]'),
  });
  expect(service.counts().requests.token).toEqual({});
});
