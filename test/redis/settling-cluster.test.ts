import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { SettlingCluster } from '../../src/redis/settling-cluster.ts';
import { WAIT } from '../support/redis/own-fixture.ts';
import { makeServerFixture } from '../support/redis/server-fixture.ts';

const fixture = makeServerFixture();
afterEach(fixture.clean);

test('a connection, and a copy of it, that connect while the cluster is down end to connect when it is back', async () => {
  const [node, ...others] = await fixture.startCluster();
  if (!node) throw new Error('There is no node.');
  const cluster = new SettlingCluster([{ host: '127.0.0.1', port: node.port }], {
    lazyConnect: true,
    clusterRetryStrategy: () => 20,
  });
  const copy = cluster.duplicate([], { redisOptions: { connectionName: 'copy' } });
  onTestFinished(() => {
    cluster.disconnect();
    copy.disconnect();
  });
  expect(copy.options.redisOptions?.connectionName).toBe('copy');
  const both = [cluster, copy];
  const slotOf = (command: 'ADDSLOTS' | 'DELSLOTS') =>
    Promise.all([node, ...others].map(({ admin }) => admin.call('CLUSTER', command, '0').catch(() => {})));
  await slotOf('DELSLOTS');
  await vi.waitUntil(async () => String(await node.admin.call('CLUSTER', 'INFO')).includes('state:fail'), WAIT);
  const failed: unknown[] = [];
  const connecting = both.map((one) => one.connect().catch((error) => failed.push(error)));
  let tries = 0;
  for (const one of both) one.on('reconnecting', () => (tries += 1));
  await vi.waitUntil(() => tries > 12, WAIT);
  expect(both.map((one) => one.listenerCount('ready'))).toEqual([1, 1]);
  await node.admin.call('CLUSTER', 'ADDSLOTS', '0');
  await Promise.all(connecting);
  expect([failed, both.map(({ status }) => status)]).toEqual([[], ['ready', 'ready']]);
  expect(both.map((one) => one.listenerCount('ready') + one.listenerCount('end'))).toEqual([0, 0]);
});
