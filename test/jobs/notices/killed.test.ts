import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, inject, onTestFinished, test } from 'vitest';
import { deliverOnce } from '../../../jobs/notices/deliver.ts';
import { makeKeys } from '../../../src/ledger/schema/keys.ts';
import { makeOutbox } from '../../../src/notices/outbox.ts';
import { bundled } from '../../support/bundle.ts';
import { COMPILED } from '../../support/command.ts';
import { deliversTo, GOES_ON } from '../../support/delivering.ts';
import { connectRedis, freshPrefix } from '../../support/ledger.ts';
import { makeState } from '../../support/outbox.ts';
import { startReceiver } from '../../support/receiver.ts';

const PROCESS = bundled('deliver-process');
const ACCOUNT = 'https://test.example';

// Promises: no-notice-lost-by-restart, repeated-notice-same-id
test.each([
  ['before it sends', 'before', 1],
  ['while the receiver has not answered yet', 'during', 2],
  ['after the answer, before it could note it', 'after', 2],
])(
  'a process killed %s loses nothing: another sends it when the lease is over, under the same id',
  async (_, moment, times) => {
    const connection = connectRedis();
    const [prefix, keys] = ((name) => [name, makeKeys(name, ACCOUNT)] as const)(freshPrefix());
    const outbox = makeOutbox({ connection, keys, ways: ['webhook'] });
    let child: ChildProcess | undefined;
    const receiver = await startReceiver((answer) => {
      if (moment === 'during' && child?.signalCode === null) child.kill('SIGKILL');
      else answer.end();
    });
    await outbox.report([makeState('1')]);
    const [{ id } = { id: '' }] = await outbox.lately();
    child = spawn(process.execPath, [PROCESS, inject('redisUrl'), prefix, ACCOUNT, receiver.url, moment], {
      stdio: 'ignore',
      env: { ...process.env, ...COMPILED },
    });
    onTestFinished(() => void child?.kill('SIGKILL'));
    const [, signal] = await once(child, 'exit');
    expect(signal).toBe('SIGKILL');
    const { deps } = deliversTo(receiver.url, outbox);
    // Nobody takes it before.
    expect(await deliverOnce(deps, GOES_ON)).toMatchObject({ delivered: 0, failed: 0 });
    expect(await outbox.lately()).toMatchObject([{ id, deliveries: [{ is: 'sending', tries: 1 }] }]);
    await connection.zadd(keys.outbox('webhook'), 'XX', 0, id);
    expect(await deliverOnce(deps, GOES_ON)).toMatchObject({ delivered: 1 });
    expect(receiver.received.map((one) => one.id)).toEqual(Array(times).fill(id));
    expect(await outbox.lately()).toMatchObject([{ id, deliveries: [{ is: 'delivered', tries: 2 }] }]);
  },
);
