import { expect, onTestFinished } from 'vitest';
import { startCommand } from '../../support/command.ts';
import { freePort } from '../../support/redis/free-port.ts';
import { startLoading } from '../../support/redis/loading-server.ts';
import { makeServerFixture } from '../../support/redis/server-fixture.ts';
import { testsBeside } from '../../support/tests-beside.ts';
import { makeFolder } from '../../support/workplace.ts';

const test = testsBeside();

/** Starts a command whose Redis loads its data for much longer than the test takes, and waits until it waits for that. */
async function startWaiting(args: string[], env: Record<string, string> = {}) {
  const fixture = makeServerFixture();
  onTestFinished(fixture.clean);
  const { url, loading } = await startLoading(fixture, { seconds: 120 });
  loading.catch(() => {});
  const command = startCommand(args, { cwd: await makeFolder(), env: { ...env, REDIS_URL: url, CONSOLE_PORT: '0' } });
  await expect.poll(() => command.output().stderr).toContain('it is waited for');
  return command;
}

test.each<[string, string[], number]>([
  ['work', ['work'], 0],
  ['work --until-settled', ['work', '--until-settled'], 2],
  ['console', ['console'], 0],
  ['up', ['up'], 0],
  ['events listen', ['events', 'listen'], 0],
  ['nightly --wait', ['nightly', '--wait'], 0],
])('SIGTERM while Redis loads its data ends %s as at any other time', async (_name, args, status) => {
  const env = { EVENTS_PORT: String(await freePort()), EVENTS_SECRET: 'a-secret-of-32-characters-or-more-a' };
  const { child, ended } = await startWaiting([...args, '--json'], args[0] === 'events' ? env : {});
  child.kill('SIGTERM');
  const { stderr, stdout, ...end } = await ended;
  expect(JSON.parse(stdout || '{}')).toEqual({ stopped: true });
  expect([end.status, stderr.trim().split('\n').at(-1)]).toEqual([status, expect.stringContaining('"stopped"')]);
});

test('the deadline of work ends its wait for a Redis that loads its data', async () => {
  const { ended } = await startWaiting(['work', '--deadline', '7s']);
  expect((await ended).status).toBe(3);
});
