import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { boundedNotice } from '../../../src/notices/outbox.ts';
import type { Message } from '../../../src/notices/way.ts';
import { makeWebhook, type WebhookForm } from '../../../src/notices/webhook/webhook.ts';
import { chooseProxy } from '../../../src/proxy.ts';
import { startForwardProxy } from '../../support/forward-proxy.ts';
import { makeNotice, startReceiver } from '../../support/outbox.ts';
import { trustCertificate } from '../../support/proxied-service.ts';
import { portOf, startTlsService, TLS_HOST } from '../../support/tls-service.ts';

const MESSAGE: Message = { ...boundedNotice(makeNotice()), id: 'id-1', account: 'a', link: undefined };

function send(
  url: string,
  { form = 'json', proxy, tryMs }: { form?: WebhookForm; proxy?: string; tryMs?: number } = {},
) {
  const chosen = proxy === undefined ? undefined : chooseProxy(url, { HTTPS_PROXY: proxy, HTTP_PROXY: proxy });
  const webhook = makeWebhook({ url, form, proxy: chosen, ...(tryMs === undefined ? {} : { tryMs }) });
  return webhook.send(MESSAGE, { signal: new AbortController().signal });
}

test('a notice is sent as one POST of JSON to the whole address, in the form that is set', async () => {
  const receiver = await startReceiver();
  for (const form of ['json', 'slack', 'teams'] as const) {
    expect(await send(receiver.url, { form })).toEqual({ is: 'delivered', words: '' });
  }
  expect(receiver.received).toMatchObject([{ id: 'id-1' }, { text: MESSAGE.title }, { type: 'message' }]);
  const [head] = receiver.heads;
  expect(head).toMatchObject({ method: 'POST', url: '/hooks/T00/s3cr3t-path?sig=s3cr3t-query' });
  expect(head?.headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'limitline' });
  await expect.poll(receiver.openConnections).toBe(0);
});

test('user and password of an address are sent as basic authentication, and are not in the message of a failure', async () => {
  const receiver = await startReceiver((answer) => answer.writeHead(500).end());
  const sent = await send(`http://us%40er:100%@${receiver.host}/`);
  expect(receiver.heads[0]?.headers.authorization).toBe(`Basic ${Buffer.from('us@er:100%').toString('base64')}`);
  expect(sent.words).toBe(`${receiver.host} answered 500`);
});

// Promise: redirects-are-not-followed
test('a redirect is not followed, and is reported with its host', async () => {
  const other = await startReceiver();
  const receiver = await startReceiver((answer) => answer.writeHead(307, { location: other.url }).end());
  expect(await send(receiver.url)).toMatchObject({
    is: 'failed',
    passes: false,
    words: expect.stringContaining(other.host),
  });
  expect(other.received).toEqual([]);
});

test('an endless answer is not read to its end', async () => {
  const receiver = await startReceiver((answer) => {
    answer.writeHead(200);
    const more = () => !answer.destroyed && void answer.write('x'.repeat(65_536), () => setImmediate(more));
    more();
  });
  expect(await send(receiver.url)).toMatchObject({ is: 'delivered' });
  await expect.poll(receiver.openConnections).toBe(0);
});

// Promise: hanging-receiver-cut-off
test('a receiver that hangs is cut off, and its connection is closed', async () => {
  const receiver = await startReceiver(() => {});
  const sent = await send(receiver.url, { tryMs: 300 });
  expect(sent).toEqual({
    is: 'failed',
    fault: 'way',
    passes: true,
    words: `${receiver.host} gave no answer within 0.3 s`,
  });
  await expect.poll(receiver.openConnections).toBe(0);
});

test('a webhook call under way is aborted when the process stops', async () => {
  const receiver = await startReceiver(() => {});
  const stop = new AbortController();
  const sending = makeWebhook({ url: receiver.url, form: 'json', proxy: undefined }).send(MESSAGE, {
    signal: stop.signal,
  });
  await expect.poll(() => receiver.received).toHaveLength(1);
  stop.abort();
  expect(await sending).toMatchObject({ is: 'failed', fault: 'ours' });
});

// Promise: webhook-address-stays-secret
test.each([
  ['closes', (port: number) => `http://127.0.0.1:${port}/s3cr3t`, /^127\.0\.0\.1:\d+ gave no answer: /],
  ['speaks no TLS', (port: number) => `https://127.0.0.1:${port}/s3cr3t`, /does not speak TLS|gave no answer/],
])('a receiver that %s is reported as without an answer, and without its address', async (_what, url, words) => {
  const server = createServer((socket) => socket.on('error', () => {}).once('data', () => socket.destroy()));
  const sent = await send(url(await portOf(server)));
  expect(sent).toMatchObject({ is: 'failed', fault: 'way', passes: true, words: expect.stringMatching(words) });
  expect(sent.words).not.toContain('s3cr3t');
});

// Promise: hanging-receiver-cut-off
test('an address without a server or with an unknown name is reported with the error', async () => {
  expect((await send('http://127.0.0.1:9/s3cr3t')).words).toMatch(/^127\.0\.0\.1:9 gave no answer: .*ECONNREFUSED/);
  expect((await send('http://nobody.invalid/s3cr3t')).words).toMatch(
    /^nobody\.invalid gave no answer: .*(ENOTFOUND|EAI_AGAIN)/,
  );
});

test('an https receiver is reached through a proxy’s tunnel, and an http one by the proxy’s own request', async () => {
  onTestFinished(trustCertificate());
  const receiver = await startReceiver();
  const proxy = await startForwardProxy({ targetPort: await startTlsService(receiver.port), user: 'us:er' });
  const login = proxy.url.replace('//', '//us:er@');
  expect(await send(`https://${TLS_HOST}/x`, { proxy: login })).toMatchObject({ is: 'delivered' });
  expect(proxy.heard.connects).toEqual([`${TLS_HOST}:443`]);
  const plain = await startForwardProxy({ targetPort: receiver.port });
  expect(await send('http://service.test/y', { proxy: plain.url })).toMatchObject({ is: 'delivered' });
  expect(plain.heard.forwarded).toEqual(['http://service.test/y']);
  expect(receiver.received).toHaveLength(2);
});

test('a proxy that needs a password or hangs is reported, and nothing is sent', async () => {
  const receiver = await startReceiver();
  const proxy = await startForwardProxy({ targetPort: receiver.port, user: 'us:er' });
  expect((await send('http://service.test/y', { proxy: proxy.url })).words).toMatch(/^the proxy .* password \(407\)/);
  expect((await send('https://service.test/y', { proxy: proxy.url })).words).toMatch(/proxy .*407/);
  proxy.setFault({ is: 'silent' });
  const login = proxy.url.replace('//', '//us:er@');
  expect(await send('https://service.test/y', { proxy: login, tryMs: 300 })).toMatchObject({
    is: 'failed',
    passes: true,
  });
  expect(receiver.received).toEqual([]);
});
