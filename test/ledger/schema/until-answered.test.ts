import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { makeRetryUntilAnswered, untilStopped } from '../../../src/ledger/schema/until-answered.ts';
import { WAIT } from '../../support/redis/own-fixture.ts';
import { type GivenServer, makeServerFixture } from '../../support/redis/server-fixture.ts';
import { makeKeptLog } from '../../support/workplace.ts';

const fixture = makeServerFixture();
let server: GivenServer;
beforeAll(async () => {
  server = await fixture.start();
});
afterAll(fixture.clean);

/** Errors of Redis inside a script while it accepts no writes, with the commands that cause and end them. */
const REFUSALS: [string, string[], string[]][] = [
  ['READONLY', ['replicaof', '127.0.0.1', '1'], ['replicaof', 'no', 'one']],
  ['OOM', ['config', 'set', 'maxmemory', '1'], ['config', 'set', 'maxmemory', '0']],
  ['NOREPLICAS', ['config', 'set', 'min-replicas-to-write', '1'], ['config', 'set', 'min-replicas-to-write', '0']],
];

test.each(REFUSALS)(
  'a script that fails with %s is retried until Redis accepts writes again',
  async (reason, begin, end) => {
    await ask(begin);
    onTestFinished(async () => void (await ask(end)));
    const { log, lines } = makeKeptLog();
    const written = makeRetryUntilAnswered({ log, signal: new AbortController().signal })('write', write);
    await vi.waitUntil(() => lines.length > 0, WAIT);
    expect(lines).toMatchObject([
      { level: 'warn', err: { message: expect.stringMatching(`^${reason} .*@user_script`) } },
    ]);
    await ask(end);
    expect(await written).toBe('OK');
  },
);

test('a transaction is retried while Redis is full, and a wrong one fails at once', async () => {
  const retryUntilAnswered = makeRetryUntilAnswered({ log: makeKeptLog().log, signal: new AbortController().signal });
  await ask(['config', 'set', 'maxmemory', '1']);
  onTestFinished(async () => void (await ask(['config', 'set', 'maxmemory', '0'])));
  let refusals = 0;
  const written = retryUntilAnswered('transaction', () =>
    server.admin
      .multi()
      .set('key', '1')
      .exec()
      .catch((error) => {
        expect(error.message).toMatch(/^EXECABORT/);
        refusals += 1;
        throw error;
      }),
  );
  await vi.waitUntil(() => refusals > 1, WAIT);
  await ask(['config', 'set', 'maxmemory', '0']);
  expect(await written).toEqual([[null, 'OK']]);
  const wrong = () => server.admin.multi().call('NOSUCH').exec();
  await expect(retryUntilAnswered('transaction', wrong)).rejects.toThrow(/^EXECABORT/);
});

test('an outage is logged once, however many commands wait for its end', async () => {
  const { log, lines } = makeKeptLog();
  const retryUntilAnswered = makeRetryUntilAnswered({ log, signal: new AbortController().signal });
  for (const outage of [1, 2]) {
    await ask(['config', 'set', 'maxmemory', '1']);
    let tries = 0;
    const tryToWrite = () => {
      tries += 1;
      return write();
    };
    const written = Promise.all(Array.from({ length: 5 }, () => retryUntilAnswered('write', tryToWrite)));
    await vi.waitUntil(() => tries > 10, WAIT);
    await ask(['config', 'set', 'maxmemory', '0']);
    await written;
    expect(lines).toHaveLength(outage);
  }
});

test("work stops waiting for Redis at its signal, with the signal's reason", async () => {
  const stopping = new AbortController();
  const retryUntilAnswered = makeRetryUntilAnswered({ log: makeKeptLog().log, signal: new AbortController().signal });
  const waiting = untilStopped(retryUntilAnswered, stopping.signal)('write', () => new Promise(() => {}));
  stopping.abort(new Error('SIGTERM came'));
  await expect(waiting).rejects.toMatchObject({ code: 'STOPPED', message: 'SIGTERM came' });
});

test.each([
  ['calls an unknown command', `return redis.call('NOSUCH')`],
  ['has an error', 'return ('],
])('a script that %s fails at once', async (_what, lua) => {
  const retryUntilAnswered = makeRetryUntilAnswered({ log: makeKeptLog().log, signal: new AbortController().signal });
  await expect(retryUntilAnswered('write', () => server.admin.eval(lua, 0))).rejects.toThrow(/^ERR /);
});

const write = (): Promise<unknown> => server.admin.eval(`return redis.call('SET', KEYS[1], '1')`, 1, 'key');

const ask = ([command = '', ...args]: string[]): Promise<unknown> => server.admin.call(command, ...args);
