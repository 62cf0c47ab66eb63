import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { makeEvents } from '../../src/ledger/events/events.ts';
import { makeKeys } from '../../src/ledger/schema/keys.ts';
import { posted, startListener } from '../support/event-listener.ts';
import { allEvents } from '../support/events.ts';
import { startKillableRedis } from '../support/redis/killable-redis.ts';

// Promise: never-said-kept-falsely
test('events that are refused while Redis is away and sent again later are each kept once', async () => {
  const redis = await startKillableRedis();
  const connection = new Redis({ port: redis.port, retryStrategy: () => 20, maxRetriesPerRequest: null });
  connection.on('error', () => {});
  onTestFinished(() => connection.disconnect());
  const limits = { mostBytes: 1_000_000, keepMs: 86_400_000 };
  const events = makeEvents({ connection, keys: makeKeys('limitline', 'test'), limits });
  // An event that waited for Redis may be kept although it was refused. Sent again, it is answered as kept.
  const { ask } = await startListener({ keep: events.keep, limits: { keepMs: 200 } });
  const taken = (body: string) =>
    expect.poll(() => ask(posted(body)), { interval: 20, timeout: 20_000 }).toContain('200 OK');
  await taken('before');
  await redis.kill();
  for (const body of ['one', 'two']) expect(await ask(posted(body))).toContain('503 Service Unavailable');
  await redis.restart();
  for (const body of ['one', 'two']) await taken(body);
  const found = await allEvents(events);
  const bodies = await Promise.all(found.map(async ({ id }) => (await events.raw(id))?.body.toString()));
  expect(bodies.toSorted()).toEqual(['before', 'one', 'two']);
});
