import { afterAll, expect, onTestFinished, test } from 'vitest';
import { makeSendMarks } from '../../../src/ledger/calls/send-marks.ts';
import { makeKeys } from '../../../src/ledger/schema/keys.ts';
import { makeRetryUntilAnswered } from '../../../src/ledger/schema/until-answered.ts';
import { makeSilentLog } from '../../../src/log.ts';
import { makeConnections } from '../../../src/redis/connect.ts';
import { parseRedisUrl } from '../../../src/redis/redis-url.ts';
import { freshPrefix } from '../../support/ledger.ts';
import { type GivenServer, makeServerFixture } from '../../support/redis/server-fixture.ts';
import { makeFolder } from '../../support/workplace.ts';

const fixture = makeServerFixture();
afterAll(fixture.clean);

test('a mark on a cluster finds the node that took the place of a killed one', async () => {
  const nodes = await fixture.startCluster();
  const { marks, key } = await openMarks(nodes.map(({ url }) => url).join(','));
  const owner = await nodeOf(key, nodes);
  await fixture.startClusterReplicaOf(owner, nodes);
  await expect.poll(() => marks.ready().then(() => 'sent', String), { timeout: 60_000 }).toBe('sent');
  await owner.kill();
  // The replica has no replica itself, so it cannot confirm the mark. But it is asked.
  await expect(marks.ready()).rejects.toThrow('(0 of 1)');
});

/** The marks of one process that expects one replica; each call is the first of its second. */
async function openMarks(url: string) {
  const log = makeSilentLog();
  const connections = makeConnections({ target: parseRedisUrl(url), where: 'here', log });
  const ending = new AbortController();
  onTestFinished(async () => {
    ending.abort();
    await connections.close();
  });
  const keys = makeKeys(freshPrefix(), 'account');
  const marks = makeSendMarks({
    connection: connections.connect('ledger'),
    keys,
    dir: await makeFolder(),
    account: 'https://test.example',
    warnsOnly: false,
    retryUntilAnswered: makeRetryUntilAnswered({ log, signal: ending.signal }),
    replicas: { expected: () => 1, connect: () => connections.connect('claims') },
    log,
    freshMs: 0,
  });
  return { marks, key: keys.marks };
}

async function nodeOf(key: string, nodes: readonly GivenServer[]): Promise<GivenServer> {
  for (const node of nodes) {
    const found = await node.admin.exists(key).catch(() => undefined);
    if (found !== undefined) return node;
  }
  throw new Error(`no node has ${key}`);
}
