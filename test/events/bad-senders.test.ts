import { expect, test } from 'vitest';
import { PATH, posted, startListener } from '../support/event-listener.ts';
import { heldBytes } from '../support/held-bytes.ts';

const HEAD = `POST ${PATH} HTTP/1.1\r\nHost: x\r\n`;
const MB = 1_024 * 1_024;

// Promise: large-events-refused
test('an event with a declared length of 100 MB is refused before its body, and the connection is closed', async () => {
  const { connect, kept, ends } = await startListener({ limits: { lingerMs: 20 } });
  const client = await connect();
  client.write(`${HEAD}Content-Length: ${100 * MB}\r\n\r\n`);
  expect(await client.answers(1)).toEqual(['413']);
  expect(client.text()).toContain('{"error":"too large"}');
  await client.closed();
  expect([kept, ends]).toEqual([[], ['too large']]);
});

// Promise: large-events-refused
test('a chunked event of 100 MB, sent in spite of the answer, is not kept in memory', async () => {
  const { connect, kept, ends } = await startListener({ maxBytes: MB });
  const client = await connect();
  const piece = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(MB, 'x'), Buffer.from('\r\n')]);
  const before = heldBytes();
  client.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n`);
  await client.flood(piece, 100 * MB);
  expect(await client.answers(1)).toEqual(['413']);
  // Some of it is freed by the garbage collector a moment later.
  await expect.poll(() => heldBytes() - before, { interval: 10 }).toBeLessThan(16 * MB);
  expect([kept, ends]).toEqual([[], ['too large']]);
});

// Promise: never-said-kept-falsely
test('of 10,000 events at once the allowed rate is kept, the others are answered with 429, and no kept event is lost', async () => {
  // The rate is low enough that no machine is so slow that all 10,000 are allowed.
  const perSecond = 200;
  const { connect, kept, ends, ask } = await startListener({ perSecond });
  const clients = await Promise.all(Array.from({ length: 5 }, connect));
  const all = clients.map((client, of) => {
    client.write(Buffer.concat(Array.from({ length: 2_000 }, (_, n) => posted(`event ${of}.${n}`))));
    return client.answers(2_000);
  });
  const statuses = (await Promise.all(all)).flat();
  expect(statuses.length).toBe(10_000);
  expect(new Set(statuses)).toEqual(new Set(['200', '429']));
  const taken = statuses.filter((status) => status === '200').length;
  expect(taken).toBeGreaterThanOrEqual(perSecond);
  expect(new Set(kept.map(({ body }) => body.toString())).size).toBe(taken);
  expect(ends.filter((end) => end === 'too many').length).toBe(10_000 - taken);
  expect(clients[4]?.text()).toMatch(/429 Too Many Requests\r\n.*retry-after: 1\r\n/is);
  await expect.poll(() => ask(posted('one more')), { interval: 5 }).toContain('200 OK');
});

test('pipelined events on one connection are answered in their order', async () => {
  const first = Promise.withResolvers<'kept'>();
  const seen: string[] = [];
  const { connect } = await startListener({
    keep: async ({ body }) => {
      seen.push(body.toString());
      return body.toString() === 'one' ? first.promise : 'full';
    },
  });
  const client = await connect();
  client.write(Buffer.concat([posted('one'), posted('two'), posted('three', [], '/events/wrong')]));
  await expect.poll(() => seen, { interval: 2 }).toEqual(['one', 'two']);
  expect(client.text()).toBe('');
  first.resolve('kept');
  expect(await client.answers(3)).toEqual(['200', '503', '404']);
});

// Promise: never-said-kept-falsely
test.each([
  ['rejects', async () => Promise.reject(new Error('Redis is away')), 'failed'],
  [
    'throws',
    () => {
      throw new Error('Redis is away');
    },
    'failed',
  ],
  ['does not answer', () => new Promise<never>(() => {}), 'failed'],
  ['has no room left', async () => 'full' as const, 'full'],
])('an event is answered with status 503, and never with 200, when the store %s', async (_how, keep, end) => {
  const { connect, ends } = await startListener({ keep, limits: { keepMs: 30 } });
  const client = await connect();
  client.write(posted('{}'));
  expect(await client.answers(1)).toEqual(['503']);
  expect(client.text()).toMatch(/retry-after: 5\r\n/i);
  expect(client.text()).not.toContain('"status"');
  expect(ends).toEqual([end]);
});

test('events that wait for Redis beyond the memory limit are answered with status 503', async () => {
  const redis = Promise.withResolvers<'kept'>();
  const { connect, ends } = await startListener({ keep: () => redis.promise, maxBytes: MB, limits: { roomBytes: 0 } });
  // There is room for four events of the greatest size, less the overhead of each.
  const body = Buffer.alloc(0.9 * MB);
  const clients = await Promise.all(Array.from({ length: 5 }, connect));
  for (const client of clients) client.write(posted(body));
  await expect.poll(() => ends, { interval: 5 }).toEqual(['busy']);
  redis.resolve('kept');
  const statuses = await Promise.all(clients.map((client) => client.answers(1)));
  expect(statuses.flat().sort()).toEqual(['200', '200', '200', '200', '503']);
});

test('an event whose sender disconnects in the middle is not kept', async () => {
  const { connect, kept, ends, ask } = await startListener();
  const client = await connect();
  client.write(`${HEAD}Expect: 100-continue\r\nContent-Length: 10\r\n\r\n`);
  expect(await client.answers(1)).toEqual(['100']);
  client.write('half');
  client.end();
  await expect.poll(() => ends, { interval: 2 }).toEqual(['broken off']);
  expect(kept).toEqual([]);
  expect(await ask(posted('whole'))).toContain('200 OK');
});

test('an event with Expect: 100-continue is answered with 100 first, or with its refusal', async () => {
  const { connect, kept } = await startListener();
  const client = await connect();
  client.write(`${HEAD}Expect: 100-continue\r\nContent-Length: 4\r\n\r\n`);
  expect(await client.answers(1)).toEqual(['100']);
  client.write('body');
  expect(await client.answers(2)).toEqual(['100', '200']);
  expect(kept.length).toBe(1);
  const large = await connect();
  large.write(`${HEAD}Expect: 100-continue\r\nContent-Length: 2000\r\n\r\n`);
  expect(await large.answers(1)).toEqual(['413']);
  await large.closed();
});

test.each([
  ['the start of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', '400'],
  ['the start of TLS', Buffer.from('1603010200010001fc0303', 'hex'), '400'],
  ['binary data', Buffer.alloc(100, 0xff), '400'],
  ['too large headers', `${HEAD}X: ${'x'.repeat(20_000)}\r\n\r\n`, '431'],
  ['two lengths', `${HEAD}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`, '400'],
  ['a length and chunks', `${HEAD}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, '400'],
])('unreadable bytes close their connection only: %s', async (_what, bytes, status) => {
  const { connect, kept, ends, ask } = await startListener();
  const client = await connect();
  client.write(bytes);
  expect(await client.answers(1)).toEqual([status]);
  await client.closed();
  expect([kept, ends]).toEqual([[], ['unreadable']]);
  expect(await ask(posted('whole'))).toContain('200 OK');
});

// Promise: bad-senders-cost-time-only
test('a sender that is too slow with its headers or its body is disconnected', async () => {
  const { connect, kept, ends } = await startListener({ limits: { headersMs: 30, requestMs: 60, lookMs: 10 } });
  const send = async (bytes: string) => {
    const client = await connect();
    client.write(bytes);
    await client.closed();
    return client.text();
  };
  expect(await send('POST /events')).toMatch(/^HTTP\/1\.1 408 /);
  expect(ends).toEqual(['unreadable']);
  // On a machine that stops for that long, these headers are late, too.
  const half = `${HEAD}Content-Length: 10\r\n\r\nhalf`;
  await expect.poll(() => send(half).then(() => ends), { interval: 1 }).toContain('broken off');
  expect(kept).toEqual([]);
});

// Promise: bad-senders-cost-time-only
test('a connection above the limit is closed, and the others stay open', async () => {
  const { connect, ends, ask } = await startListener({ limits: { connections: 1 } });
  const first = await connect();
  first.write(posted('one'));
  await first.answers(1);
  await (await connect()).closed();
  expect(ends).toEqual(['kept', 'crowded']);
  first.write(posted('two'));
  expect(await first.answers(2)).toEqual(['200', '200']);
  first.end();
  await expect.poll(() => ask(posted('three')), { interval: 5 }).toContain('200 OK');
});

// Promise: listener-finishes-requests
test('when the listener closes, events under way are kept and answered, and new ones are answered with status 503', async () => {
  const redis = Promise.withResolvers<'kept'>();
  const seen: number[] = [];
  const { connect, listener, ends, lines } = await startListener({
    keep: async () => {
      seen.push(1);
      return redis.promise;
    },
    limits: { closeMs: 60_000 },
  });
  const [early, late, wrong] = await Promise.all([connect(), connect(), connect()]);
  early.write(posted('one'));
  // The beginning follows a whole request, whose answer proves that it has arrived.
  const whole = posted('', [], '/events/other').toString();
  late.write(`${whole}${HEAD}`);
  wrong.write(`${whole}POST /events/other HTTP/1.1\r\n`);
  expect([await late.answers(1), await wrong.answers(1)]).toEqual([['404'], ['404']]);
  await expect.poll(() => seen.length, { interval: 2 }).toBe(1);
  const closed = listener.close();
  late.write('Content-Length: 0\r\n\r\n');
  wrong.write('Host: x\r\nContent-Length: 0\r\n\r\n');
  expect(await late.answers(2)).toEqual(['404', '503']);
  expect(await wrong.answers(2)).toEqual(['404', '404']);
  redis.resolve('kept');
  expect(await early.answers(1)).toEqual(['200']);
  await closed;
  expect(ends.toSorted()).toEqual(['kept', 'stopping', 'wrong secret', 'wrong secret', 'wrong secret']);
  expect(lines.at(-1)?.events).toEqual({ stopping: 1, 'wrong secret': 3, kept: 1 });
});
