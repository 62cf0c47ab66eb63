import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { makePersist } from '../../src/ledger/persist.ts';
import { makeKeptLog } from '../redis/log-fixture.ts';
import { type GivenServer, makeServerFixture } from '../redis/server-fixture.ts';

const fixture = makeServerFixture();
let server: GivenServer;
beforeAll(async () => {
  server = await fixture.start();
});
afterAll(fixture.clean);

/** What a Redis says inside a script while it takes no writes for a while: how it comes to that, and how it ends. */
const REFUSALS: [string, string[], string[]][] = [
  ['READONLY', ['replicaof', '127.0.0.1', '1'], ['replicaof', 'no', 'one']],
  ['OOM', ['config', 'set', 'maxmemory', '1'], ['config', 'set', 'maxmemory', '0']],
  ['NOREPLICAS', ['config', 'set', 'min-replicas-to-write', '1'], ['config', 'set', 'min-replicas-to-write', '0']],
];

test.each(REFUSALS)('%s inside a script is an outage, and is waited out', async (reason, begin, end) => {
  await ask(begin);
  onTestFinished(async () => void (await ask(end)));
  const { log, lines } = makeKeptLog();
  const written = makePersist({ log, signal: new AbortController().signal })('write', write);
  await vi.waitUntil(() => lines.length > 0);
  expect(lines).toMatchObject([
    { level: 'warn', err: { message: expect.stringMatching(`^${reason} .*@user_script`) } },
  ]);
  await ask(end);
  expect(await written).toBe('OK');
});

test.each([
  ['calls what is no command', `return redis.call('NOSUCH')`],
  ['is none', 'return ('],
])('a script that %s is a fault at once', async (_what, lua) => {
  const persist = makePersist({ log: makeKeptLog().log, signal: new AbortController().signal });
  await expect(persist('write', () => server.admin.eval(lua, 0))).rejects.toThrow(/^ERR /);
});

function write(): Promise<unknown> {
  return server.admin.eval(`return redis.call('SET', KEYS[1], '1')`, 1, 'key');
}

function ask([command = '', ...words]: string[]): Promise<unknown> {
  return server.admin.call(command, ...words);
}
