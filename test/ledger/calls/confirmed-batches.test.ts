import { afterAll, afterEach, describe, expect, onTestFinished, vi } from 'vitest';
import { messageOf } from '../../../src/errors.ts';
import { makeCalls } from '../../../src/ledger/calls/calls.ts';
import { makeKeys } from '../../../src/ledger/schema/keys.ts';
import { scanKeys } from '../../../src/ledger/schema/redis-reads.ts';
import { makeRetryUntilAnswered } from '../../../src/ledger/schema/until-answered.ts';
import { makeSilentLog } from '../../../src/log.ts';
import { makeConnections } from '../../../src/redis/connect.ts';
import { parseRedisUrl } from '../../../src/redis/redis-url.ts';
import { parseInfo } from '../../../src/redis/server-info.ts';
import { freshPrefix } from '../../support/ledger.ts';
import { WAIT } from '../../support/redis/own-fixture.ts';
import { type GivenServer, makeServerFixture, synced } from '../../support/redis/server-fixture.ts';
import { testsBeside } from '../../support/tests-beside.ts';

const test = testsBeside();

const fixture = makeServerFixture();
const paused = new Set<number>();
afterEach(() => {
  for (const pid of paused) go(pid);
});
afterAll(fixture.clean);

const log = makeSilentLog();
const row = { portfolio: 'q4', key: 'row-1' };
const limit = (n: number) => ({ kind: 'limit', key: `request-${n}`, row }) as const;
const ask = { owner: 'a/1', onUnknown: 'hold' } as const;

describe('a claim', () => {
  test('is confirmed by the replicas before it is answered, with one WAIT for all claims asked for together', async () => {
    const { primary, replicas } = await startServers(2);
    const { calls, keys } = openCalls(primary.url, 2);
    // The connection is made with the first claim.
    await confirmed(() => calls.claim(limit(0), ask));
    await confirmed(async () => {
      const before = await countOf(primary, 'wait');
      const answers = await Promise.all(Array.from({ length: 40 }, (_none, n) => calls.claim(limit(n + 1), ask)));
      const found = await Promise.all(
        replicas.map(({ admin }) => admin.hget(keys.call('limit', 'request-40'), 'owner')),
      );
      expect(answers).toEqual(answers.map(() => ({ is: 'go', first: 'a/1' })));
      expect(found).toEqual(['a/1', 'a/1']);
      expect((await countOf(primary, 'wait')) - before).toBe(1);
    });
    // A claim still works after the server forgot its scripts.
    await primary.admin.script('FLUSH');
    expect(await confirmed(() => calls.claim(limit(41), ask))).toMatchObject({ is: 'go' });
  });

  test('that a replica does not confirm within a second is released, and delays no other call', async () => {
    const { primary, replicas } = await startServers(2);
    const { calls, keys, ledger } = openCalls(primary.url, 2);
    // On a busy machine the second of a claim may pass before the other call is settled: then the loop tries again.
    for (let [n, isOver] = [1, true]; isOver; n += 2) {
      await confirmed(() => calls.claim(limit(n), ask));
      stop(replicas[0]?.pid);
      isOver = false;
      const claimed = calls.claim(limit(n + 1), ask).finally(() => {
        isOver = true;
      });
      const refused = expect(claimed).rejects.toMatchObject({
        code: 'REDIS',
        message: expect.stringMatching(/^Redis' replicas do not confirm \(1 of 2\); .*REDIS_REPLICAS/),
      });
      await vi.waitUntil(() => ledger.exists(keys.call('limit', `request-${n + 1}`)), WAIT);
      await calls.settle(limit(n), 'a/1', { id: `bl_${n}`, record: {}, buyer: 'b' });
      const wasOver = isOver;
      await refused;
      isOver = wasOver;
      expect(await ledger.hget(keys.call('limit', `request-${n + 1}`), 'state')).toBe('free');
      expect(await ledger.hget(keys.portfolio('q4'), 'calls:limit')).toBe(String(n));
      // A call that is made already needs no confirmation: nothing is sent for it.
      expect(await calls.claim(limit(n), ask)).toMatchObject({ is: 'made', id: `bl_${n}` });
      go(replicas[0]?.pid);
      expect(await confirmed(() => calls.claim(limit(n + 1), ask))).toMatchObject({ is: 'go' });
    }
  });

  // Promise: calls-wait-for-replica
  test('waits for a replica that is loading the data', async () => {
    const { primary, replicas } = await startServers(1);
    const { calls } = openCalls(primary.url, 1);
    await confirmed(() => calls.claim(limit(1), ask));
    // The replica asks for the data at once, and gets it as soon as the primary waits for no further replica.
    await primary.admin.config('SET', 'repl-diskless-sync-delay', '600');
    await replicas[0]?.admin.replicaof('NO', 'ONE');
    await replicas[0]?.admin.replicaof('127.0.0.1', primary.port);
    const isWaiting = async () => (await primary.admin.info('replication')).includes('state=wait_bgsave');
    await vi.waitUntil(isWaiting, WAIT);
    await expect(calls.claim(limit(2), ask)).rejects.toThrow('(0 of 1)');
    await primary.admin.config('SET', 'repl-diskless-sync-delay', '0');
    if (replicas[0]) await synced(replicas[0], primary);
    await confirmed(() => calls.claim(limit(2), ask));
  });

  test('whose connection breaks before the replicas confirm is repeated, and not believed before', async () => {
    const { primary, replicas } = await startServers(1);
    const { calls } = openCalls(primary.url, 1);
    await confirmed(() => calls.claim(limit(1), ask));
    stop(replicas[0]?.pid);
    const blocked = async () => /^id=(\d+) .* cmd=wait /m.exec(String(await primary.admin.client('LIST')))?.[1];
    // On a busy machine the check may miss the second that a claim waits: then the loop tries again.
    for (let killed = 0; killed === 0; ) {
      let isOver = false;
      const claimed = calls.claim(limit(2), ask).finally(() => {
        isOver = true;
      });
      const refused = expect(claimed).rejects.toThrow('(0 of 1)');
      const id = await vi.waitUntil(async () => isOver || (await blocked()), WAIT);
      if (id !== true) killed = Number(await primary.admin.client('KILL', 'ID', Number(id)));
      await refused;
    }
  });

  test('uses no WAIT and no extra connection if no replica is expected', async () => {
    const primary = await fixture.start();
    const { calls } = openCalls(primary.url, 0);
    expect(await calls.claim(limit(1), ask)).toMatchObject({ is: 'go' });
    expect(await countOf(primary, 'wait')).toBe(0);
    expect(await primary.admin.client('LIST')).not.toContain('limitline-claims');
  });

  test('on a cluster waits for the replicas of the node that has it, also after a failover', async () => {
    const nodes = await fixture.startCluster();
    const urls = nodes.map(({ url }) => url).join(',');
    const { calls, keys, ledger } = openCalls(urls, 1);
    const owner = await nodeOf(keys.call('limit', 'request-1'), nodes);
    const replica = await fixture.startClusterReplicaOf(owner, nodes);
    expect(await confirmed(() => calls.claim(limit(1), ask))).toMatchObject({ is: 'go' });
    const waits = await countOf(owner, 'wait');
    stop(replica.pid);
    await expect(calls.claim(limit(2), ask)).rejects.toThrow('(0 of 1)');
    expect(await ledger.hget(keys.call('limit', 'request-2'), 'state')).toBe('free');
    go(replica.pid);
    expect(await confirmed(() => calls.claim(limit(2), ask))).toMatchObject({ is: 'go' });
    expect(await countOf(owner, 'wait')).toBeGreaterThanOrEqual(waits + 2);
    for (const node of nodes) if (node !== owner) expect(await countOf(node, 'wait')).toBe(0);
    // Each node has its own keys, and the scan covers all nodes.
    const found = await Array.fromAsync(scanKeys(ledger, keys.call('limit', '')));
    expect(found.flat().sort()).toEqual(['request-1', 'request-2'].map((key) => keys.call('limit', key)));
    // The replica takes the node's place, and has no replica itself.
    await owner.kill();
    await expect(calls.claim(limit(3), ask)).rejects.toThrow('(0 of 1)');
    expect(await countOf(replica, 'wait')).toBe(1);
  });
});

/** Repeats a claim if replicas took longer to confirm than it waits, as they may on a busy machine. */
async function confirmed<T>(claim: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await claim();
    } catch (error) {
      if (!/replicas do not confirm/.test(messageOf(error))) throw error;
    }
  }
}

async function startServers(count: number): Promise<{ primary: GivenServer; replicas: GivenServer[] }> {
  const primary = await fixture.start(['repl-diskless-sync-delay 0']);
  const replicas = await Promise.all(Array.from({ length: count }, () => fixture.startReplicaOf(primary)));
  return { primary, replicas };
}

/** The calls of one process that expects this many replicas. */
function openCalls(url: string, wanted: number) {
  const connections = makeConnections({ target: parseRedisUrl(url), where: 'here', log });
  const ending = new AbortController();
  onTestFinished(async () => {
    ending.abort();
    await connections.close();
  });
  const [ledger, keys] = [connections.connect('ledger'), makeKeys(freshPrefix(), 'account')];
  const retryUntilAnswered = makeRetryUntilAnswered({ log, signal: ending.signal });
  const replicas = { expected: () => wanted, connect: () => connections.connect('claims') };
  return { calls: makeCalls({ connection: ledger, keys, retryUntilAnswered, replicas }), keys, ledger };
}

/** How often a server ran a command. */
async function countOf({ admin }: GivenServer, command: string): Promise<number> {
  const stats = parseInfo(await admin.info('commandstats'))[`cmdstat_${command}`];
  return Number(/calls=(\d+)/.exec(stats ?? '')?.[1] ?? 0);
}

/** A server that is running but does not answer. */
function stop(pid = 0): void {
  process.kill(pid, 'SIGSTOP');
  paused.add(pid);
}

function go(pid = 0): void {
  paused.delete(pid);
  process.kill(pid, 'SIGCONT');
}

async function nodeOf(key: string, nodes: GivenServer[]): Promise<GivenServer> {
  for (const node of nodes) {
    const found = await node.admin.exists(key).catch(() => undefined);
    if (found !== undefined) return node;
  }
  throw new Error(`no node has ${key}`);
}
