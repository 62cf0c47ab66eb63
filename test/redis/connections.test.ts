import { once } from 'node:events';
import type { Redis } from 'ioredis';
import { afterEach, test as alone, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { makeSilentLog } from '../../src/log.ts';
import { COMMAND_TIMEOUT_MS, type ConnectionRole, type Connections, makeConnections } from '../../src/redis/connect.ts';
import { freePort } from '../support/redis/free-port.ts';
import { WAIT } from '../support/redis/own-fixture.ts';
import { makeServerFixture } from '../support/redis/server-fixture.ts';
import { testsBeside } from '../support/tests-beside.ts';
import { makeKeptLog } from '../support/workplace.ts';

const fixture = makeServerFixture();
let opened: Connections[] = [];

beforeEach(() => {
  opened = [];
});
afterEach(async () => {
  await Promise.all(opened.map((connections) => connections.close()));
  await fixture.clean();
});

/** A command times out within these bounds; machines under load may be late by seconds. */
const ON_TIME_MS = { from: COMMAND_TIMEOUT_MS - 50, to: COMMAND_TIMEOUT_MS + 10_000 };

describe('a Redis that is away', () => {
  const test = testsBeside();

  test('fails commands of ledger and queue after their timeout, never runs them later, and lets workers wait', async () => {
    const server = await fixture.start();
    const connections = connectionsTo(server.port);
    const [ledger, queue, worker] = [
      connections.connect('ledger'),
      connections.connect('queue'),
      connections.connect('worker'),
    ];
    await Promise.all([ledger.ping(), queue.ping(), worker.ping()]);
    await server.kill();
    const waiting = worker.set('by the worker', '1');
    const since = performance.now();
    await expect(Promise.all([ledger.set('by the ledger', '1')])).rejects.toThrow('Command timed out');
    expect(performance.now() - since).toSatisfy((ms: number) => ms > ON_TIME_MS.from && ms < ON_TIME_MS.to);
    await expect(queue.set('by the queue', '1')).rejects.toThrow('Command timed out');
    await fixture.start([], { port: server.port });
    await waiting;
    expect(await ledger.mget('by the worker', 'by the ledger', 'by the queue')).toEqual(['1', null, null]);
  });

  alone('as it became a replica refuses many commands at once without a warning of Node in the log', async () => {
    const [server, primary] = await Promise.all([fixture.start(), fixture.start()]);
    const connections = connectionsTo(server.port);
    const [ledger, worker] = [connections.connect('ledger'), connections.connect('worker')];
    await Promise.all([ledger.ping(), worker.ping()]);
    const warned = vi.spyOn(process, 'emitWarning');
    await server.admin.replicaof('127.0.0.1', primary.port);
    const written = Array.from({ length: 20 }, (_, at) => [
      ledger.set(`l${at}`, '1'),
      worker.set(`w${at}`, '1'),
    ]).flat();
    await once(worker, 'reconnecting');
    await server.admin.replicaof('NO', 'ONE');
    await Promise.all(written);
    expect(warned).not.toHaveBeenCalled();
  });

  alone('as it became a replica is named so, asked seldom, and said to be back only once it takes writes', async () => {
    const [server, primary] = await Promise.all([fixture.start(), fixture.start()]);
    const { log, lines } = makeKeptLog();
    const ledger = connectionsTo(server.port, log).connect('ledger');
    await ledger.ping();
    await server.admin.replicaof('127.0.0.1', primary.port);
    const madeOf = async () => Number(/total_connections_received:(\d+)/.exec(await server.admin.info('stats'))?.[1]);
    const before = await madeOf();
    const written = ledger.set('key', '1');
    const from = performance.now();
    await expect.poll(madeOf, WAIT).toBeGreaterThan(before + 6);
    expect(performance.now() - from).toBeGreaterThan(1_000);
    expect(lines.map(({ msg, reason }) => [msg, reason])).toEqual([
      ['the connection to Redis is lost; trying until it is back', expect.stringContaining('read only replica')],
    ]);
    await server.admin.replicaof('NO', 'ONE');
    await written;
    await expect.poll(() => lines.length, WAIT).toBe(2);
    expect(lines[1]?.msg).toBe('Redis is back');
  });

  test('as it became a replica is said to be back, too, where only a copy of a connection met it, as BullMQ makes them', async () => {
    const [server, primary] = await Promise.all([fixture.start(), fixture.start()]);
    const { log, lines } = makeKeptLog();
    const worker = connectionsTo(server.port, log).connect('worker') as Redis;
    await worker.ping();
    const copy = worker.duplicate();
    onTestFinished(() => copy.disconnect());
    await copy.ping();
    await server.admin.replicaof('127.0.0.1', primary.port);
    const written = copy.set('key', '1');
    await expect.poll(() => lines.length, WAIT).toBe(1);
    await server.admin.replicaof('NO', 'ONE');
    await written;
    await expect.poll(() => lines[1]?.msg, WAIT).toBe('Redis is back');
  });

  test('but accepts commands without an answer fails them too, and a new connection is made', async () => {
    const server = await fixture.start();
    const connections = connectionsTo(server.port);
    const ledger = connections.connect('ledger');
    await ledger.ping();
    process.kill(server.pid, 'SIGSTOP');
    const reconnected = new Promise((resolve) => ledger.once('reconnecting', resolve));
    await expect(ledger.get('key')).rejects.toThrow('Command timed out');
    await reconnected;
    process.kill(server.pid, 'SIGCONT');
    expect(await ledger.ping()).toBe('PONG');
  });

  test('is logged once when it is lost and once when it is back, with any number of connections', async () => {
    const server = await fixture.start();
    const { log, lines } = makeKeptLog();
    const connections = connectionsTo(server.port, log);
    const all = (['ledger', 'queue', 'worker'] satisfies ConnectionRole[]).map((role) => connections.connect(role));
    await Promise.all(all.map((connection) => connection.ping()));
    let retries = 0;
    const count = () => {
      retries += 1;
    };
    for (const connection of all) connection.on('reconnecting', count);
    await server.kill();
    await vi.waitUntil(() => retries > 9, WAIT);
    await fixture.start([], { port: server.port });
    await vi.waitUntil(() => lines.length > 1, WAIT);
    await Promise.all(all.map((connection) => connection.ping()));
    expect(lines).toEqual([
      { level: 'warn', redis: 'here', reason: expect.any(String), msg: expect.stringContaining('is lost') },
      { level: 'info', redis: 'here', msg: 'Redis is back' },
    ]);
  });
});

describe('closing connections', () => {
  test('waits for outstanding replies', async () => {
    const server = await fixture.start();
    const connections = connectionsTo(server.port);
    const ledger = connections.connect('ledger');
    const counted = Array.from({ length: 1_000 }, () => ledger.incr('count'));
    await connections.close();
    expect((await Promise.all(counted)).at(-1)).toBe(1_000);
    expect(ledger.status).toBe('end');
    expect(() => connections.connect('queue')).toThrow(expect.objectContaining({ code: 'STOPPED' }));
  });

  test('ends blocked connections and those that were never made', async () => {
    const server = await fixture.start();
    const blocked = connectionsTo(server.port).connect('worker');
    const blocking = blocked.blpop('nothing', 0);
    const absent = connectionsTo(await freePort()).connect('worker');
    const hopeless = absent.get('key');
    await vi.waitUntil(() => blocked.status === 'ready', WAIT);
    const ended = Promise.all([expect(blocking).rejects.toThrow(), expect(hopeless).rejects.toThrow()]);
    await Promise.all(opened.map((connections) => connections.close()));
    await ended;
    expect([blocked.status, absent.status]).toEqual(['end', 'end']);
  });
});

function connectionsTo(port: number, log = makeSilentLog()): Connections {
  const endpoint = { host: '127.0.0.1', port };
  const connections = makeConnections({ target: { kind: 'single', endpoint, tls: false, db: 0 }, where: 'here', log });
  opened.push(connections);
  return connections;
}
