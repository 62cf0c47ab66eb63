import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { constants, getPriority } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { callCommand, startCommand } from '../support/command.ts';
import { makeVisitor, openByLink } from '../support/desk.ts';
import { freshPrefix, ownRedis } from '../support/ledger.ts';
import { portOf } from '../support/tls-service.ts';
import { buyerLines, makeFolder } from '../support/workplace.ts';

/** A folder, and a prefix in the Redis of the tests. */
async function openPlace() {
  const cwd = await makeFolder();
  const env = { ...ownRedis(), CONSOLE_PORT: '0' };
  const start = (args: string[], more: Record<string, string> = {}) =>
    startCommand(args, { cwd, env: { ...env, ...more } });
  return { cwd, env, start };
}

/** The log entries so far. */
const entries = (stderr: string): Record<string, unknown>[] =>
  stderr
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

const isAlive = (pid: number) => existsSync(`/proc/${pid}`);

// Promises: up-restarts-its-parts, console-on-this-machine
test('up sends imported rows, serves the console, restarts a killed part, and leaves no process at its end', async () => {
  const { cwd, env, start } = await openPlace();
  await writeFile(join(cwd, 'q4.csv'), `${buyerLines(3).join('\n')}\n`);
  const secret = 'a-secret-that-nobody-guesses';
  const { child, ended, output } = start(['up', '--json'], { EVENTS_PORT: '0', EVENTS_SECRET: secret });
  await expect.poll(() => output().stdout).toContain('"url"');
  const { url, link, standIn, events } = JSON.parse(output().stdout);
  expect([new URL(url).hostname, standIn]).toEqual(['127.0.0.1', true]);
  expect((await makeVisitor(url).get('/keys')).status).toBe(401);
  const visitor = await openByLink(link);
  const page = await visitor.get('/keys');
  expect(page.text).toMatch(/STAND-IN.*1 worker seen/s);
  expect((await callCommand(['import', 'q4.csv'], { cwd, env })).status).toBe(0);
  await expect.poll(() => output().stderr).toContain('portfolio q4 is finished: 3 done');

  // Events of the service are stored, and their address is printed without its secret.
  expect(events).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/events\/…$/);
  const told = await fetch(events.replace('…', secret), { method: 'POST', body: '{}' });
  expect([told.status, await told.json()]).toEqual([200, { status: 'kept' }]);
  const listener = entries(output().stderr).find(({ msg }) => msg === 'events are listened for')?.pid as number;
  const behind = Math.max(constants.priority.PRIORITY_BELOW_NORMAL, getPriority(child.pid));
  expect(getPriority(listener)).toBe(behind);

  // The nightly process is a part of `up`, and has a lower priority.
  const night = entries(output().stderr).find(({ msg }) => String(msg).startsWith('on duty'))?.pid as number;
  expect(getPriority(night)).toBe(behind);
  expect(JSON.parse((await callCommand(['schedule', '--json'], { cwd, env })).stdout).onDuty).toHaveLength(1);

  const worker = entries(output().stderr).find(({ msg }) => msg === 'working')?.pid as number;
  process.kill(worker, 'SIGKILL');
  await expect.poll(() => entries(output().stderr).filter(({ msg }) => msg === 'working')).toHaveLength(2);
  expect(output().stderr).toContain('work ended and is started again in 1 s');
  expect((await visitor.get('/keys')).status).toBe(200);

  child.kill('SIGTERM');
  expect((await ended).status).toBe(0);
  const pids = new Set(entries(output().stderr).map(({ pid }) => pid as number));
  expect(pids.size).toBe(6);
  expect(output().stderr).not.toContain(secret);
  expect([...pids].filter(isAlive)).toEqual([]);
  await expect(fetch(url)).rejects.toThrow();
});

// Promise: up-keeps-its-ledger
test('a part of up is not started again while .env leads to another ledger than at the start', async () => {
  const { cwd, start } = await openPlace();
  const [first, other] = [await makeFolder(), await makeFolder()];
  const write = (folder: string) => writeFile(join(cwd, '.env'), `LIMITLINE_DATA=${folder}\n`);
  await write(first);
  const { child, ended, output } = start(['up', '--json']);
  await expect.poll(() => output().stdout).toContain('"url"');
  const working = () => entries(output().stderr).filter(({ msg }) => msg === 'working');
  await write(other);
  process.kill(working()[0]?.pid as number, 'SIGKILL');
  await expect.poll(() => output().stderr).toContain('work is not started again: the settings lead to another account');
  expect(working()).toHaveLength(1);
  expect(output().stderr).not.toContain(other);
  await write(first);
  await expect.poll(working).toHaveLength(2);
  child.kill('SIGTERM');
  expect((await ended).status).toBe(0);
});

test('the parts of up end when up is killed', async () => {
  const { start } = await openPlace();
  const { child, output, ended } = start(['up', '--json']);
  await expect.poll(() => output().stdout).toContain('"url"');
  const pids = [...new Set(entries(output().stderr).map(({ pid }) => pid as number))];
  expect(pids.length).toBeGreaterThan(1);
  child.kill('SIGKILL');
  await expect.poll(() => pids.filter(isAlive)).toEqual([]);
  await ended;
});

test('a port in use ends up and console with one line that names it', async () => {
  const port = String(await portOf(createServer()));
  const { start } = await openPlace();
  const all = await Promise.all([
    start(['up'], { CONSOLE_PORT: port }).ended,
    start(['console'], { CONSOLE_PORT: port }).ended,
  ]);
  for (const { status, stdout, stderr } of all) {
    expect([status, stdout]).toEqual([1, '']);
    const faults = entries(stderr).filter(({ level }) => level === 'fatal');
    expect(faults[0]?.msg).toContain(`Port ${port} on 127.0.0.1 is taken`);
  }
});

// Promise: json-also-of-faults
test('with --json, up names the part that could not start on standard output', async () => {
  const port = String(await portOf(createServer()));
  const { start } = await openPlace();
  const { status, stdout } = await start(['up', '--json'], { CONSOLE_PORT: port }).ended;
  const error = 'console could not begin; standard error says why. Nothing runs.';
  expect([status, JSON.parse(stdout)]).toEqual([1, { error, status: 1 }]);
});

test('the console command prints its address, logs no search texts and no token, and ends on SIGINT', async () => {
  const { start } = await openPlace();
  const { child, output, ended } = start(['console', '--json'], { LOG_LEVEL: 'debug' });
  await expect.poll(() => output().stdout).toContain('"url"');
  const { link } = JSON.parse(output().stdout);
  const { get } = await openByLink(link);
  expect((await get('/keys?text=Muster')).text).toContain('No worker runs');
  child.kill('SIGINT');
  const { status, stderr } = await ended;
  expect(status).toBe(0);
  expect(entries(stderr).at(-1)).toMatchObject({ msg: 'stopped' });
  expect(stderr).toContain('"route":"/keys"');
  expect(stderr).not.toContain('Muster');
  expect(stderr).not.toContain(new URL(link).searchParams.get('token'));
});

/** A folder with a file of buyers, and settings for a service at this address. */
async function openDesk(url: string) {
  const cwd = await makeFolder();
  await writeFile(join(cwd, 'q4.csv'), `${buyerLines(40).join('\n')}\n`);
  const credentials = { SERVICE_CLIENT_ID: 'id', SERVICE_CLIENT_SECRET: 'secret' };
  return { cwd, env: { ...ownRedis(), SERVICE_URL: url, ...credentials } };
}

/** Far more than the 10 s that are promised, for a busy machine. */
const SOON = { timeout: 60_000 };

// Promise: wrong-address-is-said
test('run and work report that nothing listens at the port, and print no remaining time', async () => {
  const { env, ...place } = await openDesk('http://127.0.0.1:1');
  // Fewer calls at once than rows, so that each process has some rows.
  const desk = { ...place, env: { ...env, SERVICE_CONCURRENCY: '8' } };
  const words = /SERVICE_URL http:\/\/127\.0\.0\.1:1: nothing listens at that port \(ECONNREFUSED\); check that/;
  const [run, work] = [startCommand(['run', 'q4.csv'], desk), startCommand(['work'], desk)];
  for (const command of [run, work]) await expect.poll(() => command.output().stderr, SOON).toMatch(words);
  // Without a terminal, the progress line is written every five seconds.
  await expect.poll(() => run.output().stderr, SOON).toMatch(/0 of 40 rows settled; .*nothing listens/);
  expect(run.output().stderr).not.toMatch(/ left/);
  run.child.kill('SIGTERM');
  expect(await run.ended).toMatchObject({ status: 2, stdout: expect.not.stringMatching(/refused|held/) });
  work.child.kill('SIGTERM');
  expect(await work.ended).toMatchObject({ status: 0 });
});

// Promise: wrong-address-is-said
test('run reports that the service answers with a web page, with status 200 as well as 404', async () => {
  let status = 200;
  const server = createServer((request, answer) => {
    const isToken = request.url === '/v1/auth/token';
    const body = isToken ? '{"access_token":"t"}' : '<!doctype html><html>Welcome</html>';
    request.resume().once('end', () => answer.writeHead(isToken ? 200 : status).end(body));
  });
  const desk = await openDesk(`http://127.0.0.1:${await portOf(server)}`);
  const run = startCommand(['run', 'q4.csv'], desk);
  await expect
    .poll(() => run.output().stderr, SOON)
    .toMatch(/is unknown \(status 200, but its body is a web page: check/);
  run.child.kill('SIGTERM');
  await run.ended;
  status = 404;
  const again = await callCommand(['run', 'q4.csv', '--portfolio', 'other'], {
    ...desk,
    env: { ...desk.env, LIMITLINE_PREFIX: freshPrefix(), CANARY_REFUSALS: '3' },
  });
  expect(again).toMatchObject({ status: 2, stderr: expect.stringMatching(/paused: .*404.*a web page/) });
});
