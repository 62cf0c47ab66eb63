import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { LIMITED_PER_S } from './limiters/limiter.ts';
import { LIMITER_CASES } from './limiters/limiter-cases.ts';
import { hasNginx } from './limiters/nginx.ts';

/** Echoes each request, with a status and a header of its own. */
async function startEcho(): Promise<string> {
  const server = createServer(async (call, answer) => {
    answer.writeHead(201, { 'x-own': 'kept' });
    answer.end(`${call.method} ${call.url} ${call.headers.authorization} ${await text(call)}`);
  });
  server.listen({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** One limiter of each kind. */
const KINDS = ['express-rate-limit draft-8 1s', 'fastify-rate-limit 1s', 'rate-limiter-flexible 1s', 'nginx 429'];
const cases = LIMITER_CASES.filter(({ name, needsNginx }) => KINDS.includes(name) && (!needsNginx || hasNginx()));

test.each(cases)('$name passes calls on unchanged, and refuses calls above its rate', async ({ start }) => {
  await using limiter = await start(await startEcho());
  const post = async (path: string) => {
    const headers = { authorization: 'Bearer one', 'content-type': 'application/json' };
    const answer = await fetch(`${limiter.url}${path}`, { method: 'POST', headers, body: '{"a":1}' });
    return { status: answer.status, own: answer.headers.get('x-own'), body: await answer.text() };
  };
  expect(await post('/v1/any')).toEqual({ status: 201, own: 'kept', body: 'POST /v1/any Bearer one {"a":1}' });
  expect(await limiter.refused()).toBe(0);
  let refused = 0;
  while (refused === 0) {
    const answers = await Promise.all(Array.from({ length: 2 * LIMITED_PER_S }, () => post('/v1/any')));
    refused = answers.filter(({ status }) => status === 429 || status === 503).length;
  }
  expect(await limiter.refused()).toBe(refused);
  const tokens = await Promise.all(Array.from({ length: 3 }, () => post('/v1/auth/token')));
  expect(tokens.map(({ status }) => status)).toEqual([201, 201, 201]);
});
