import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { fastify } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { closeUnread } from '../../../src/console/server/make-server.ts';

async function open({ handlerTimeout = 60_000, lingerMs = 300 } = {}) {
  const app = fastify({ handlerTimeout });
  closeUnread(app, { lingerMs });
  app.addHook('onRequest', async ({ url }, reply) => (url === '/refused' ? reply.code(403).send('no') : undefined));
  app.addContentTypeParser('text/words', { parseAs: 'string' }, (_request, body, done) => done(null, body));
  app.post('/read', async ({ body }) => body);
  await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => app.close());
  const { port } = app.server.address() as AddressInfo;
  return () => {
    const socket = connect(port, '127.0.0.1').setEncoding('utf8');
    onTestFinished(() => void socket.destroy());
    return socket;
  };
}

const request = (path: string, body: string, length = body.length) =>
  `POST ${path} HTTP/1.1\r\nHost: here\r\nContent-Type: text/words\r\nContent-Length: ${length}\r\n\r\n${body}`;

test.each([
  ['whose body is waited for', '/read', '503'],
  ['that is refused without a look at its body', '/refused', '403'],
])('a request %s and does not come keeps its connection no longer than its answer is read', async (_, path, status) => {
  const socket = (await open({ handlerTimeout: 100 }))();
  socket.write(request(path, 'a', 100));
  expect((await once(socket, 'data'))[0]).toContain(`HTTP/1.1 ${status}`);
  await once(socket, 'close');
});

test('who goes on to the end of what was refused keeps the connection, and is answered on it again', async () => {
  const socket = (await open())();
  socket.write(request('/refused', 'a', 100));
  expect((await once(socket, 'data'))[0]).toContain('HTTP/1.1 403');
  socket.write('b'.repeat(99));
  let heard = '';
  socket.on('data', (piece) => {
    heard += piece;
  });
  // Longer than the time in which the first would have been closed.
  for (let times = 0; times < 5; times += 1) {
    socket.write(request('/read', 'again'));
    await once(socket, 'data');
    await new Promise((done) => setTimeout(done, 100));
  }
  expect(heard.match(/HTTP\/1\.1 200/g)).toHaveLength(5);
  expect(socket.destroyed).toBe(false);
});

test('a large file that was refused is taken to its end as long as it comes', async () => {
  // More than two pieces lie apart, also on a busy machine, and less than all of them take.
  const socket = (await open({ lingerMs: 1_500 }))();
  const piece = 'b'.repeat(64 * 1_024);
  const pieces = 12;
  socket.write(request('/refused', '', piece.length * pieces));
  expect((await once(socket, 'data'))[0]).toContain('HTTP/1.1 403');
  for (let sent = 0; sent < pieces; sent += 1) {
    socket.write(piece);
    await new Promise((done) => setTimeout(done, 150));
  }
  socket.write(request('/read', 'again'));
  expect((await once(socket, 'data'))[0]).toContain('HTTP/1.1 200');
});
