import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { fastify } from 'fastify';
import { expect, onTestFinished, test, vi } from 'vitest';
import { boundConnections, closeUnread } from '../../../src/console/server/make-server.ts';

const LINGER_MS = 300;

async function open({ handlerTimeout = 60_000, onSocket = (_socket: Socket) => {} } = {}) {
  const app = fastify({ handlerTimeout });
  closeUnread(app, { lingerMs: LINGER_MS });
  app.server.on('connection', onSocket);
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

/** Lets the test decide when {@link closeUnread} looks at its connections. */
function lookAtCommand() {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  return () => vi.advanceTimersByTime(LINGER_MS);
}

const request = (path: string, body: string, length = body.length) =>
  `POST ${path} HTTP/1.1\r\nHost: here\r\nContent-Type: text/words\r\nContent-Length: ${length}\r\n\r\n${body}`;

test.each([
  ['with a missing body that the handler reads', '/read', '503'],
  ['with a missing body that is refused beforehand', '/refused', '403'],
])('the connection of a request %s is closed soon after its answer', async (_, path, status) => {
  const socket = (await open({ handlerTimeout: 100 }))();
  socket.write(request(path, 'a', 100));
  expect((await once(socket, 'data'))[0]).toContain(`HTTP/1.1 ${status}`);
  await once(socket, 'close');
});

test('a client that sends the refused body to its end keeps the connection for further requests', async () => {
  const look = lookAtCommand();
  const socket = (await open())();
  socket.write(request('/refused', 'a', 100));
  expect((await once(socket, 'data'))[0]).toContain('HTTP/1.1 403');
  socket.write('b'.repeat(99));
  let heard = '';
  socket.on('data', (piece) => {
    heard += piece;
  });
  for (let times = 0; times < 3; times += 1) {
    socket.write(request('/read', 'again'));
    await once(socket, 'data');
    look();
  }
  expect(heard.match(/HTTP\/1\.1 200/g)).toHaveLength(3);
  expect(socket.destroyed).toBe(false);
});

test('a connection keeps nothing of the requests that were refused before their bodies came', async () => {
  const look = lookAtCommand();
  let listeners = () => 0;
  const onSocket = (theirs: Socket) => {
    listeners = () => theirs.listenerCount('close');
  };
  const socket = (await open({ onSocket }))();
  await once(socket, 'connect');
  const counts = [];
  for (let times = 0; times < 12; times += 1) {
    socket.write(request('/refused', 'a', 100));
    await once(socket, 'data');
    socket.write('b'.repeat(99));
    socket.write(request('/read', 'again'));
    await once(socket, 'data');
    look();
    counts.push(listeners());
  }
  expect(counts.at(-1)).toBe(counts[0]);
});

test('a large refused body is read to its end while it arrives', async () => {
  const look = lookAtCommand();
  let bytesRead = () => 0;
  const onSocket = (theirs: Socket) => {
    bytesRead = () => theirs.bytesRead;
  };
  const socket = (await open({ onSocket }))();
  const piece = 'b'.repeat(64 * 1_024);
  const pieces = 12;
  socket.write(request('/refused', '', piece.length * pieces));
  expect((await once(socket, 'data'))[0]).toContain('HTTP/1.1 403');
  for (let sent = 0; sent < pieces; sent += 1) {
    socket.write(piece);
    // `expect.poll` would advance the fake timers.
    while (bytesRead() < piece.length * (sent + 1)) await setImmediate();
    look();
  }
  socket.write(request('/read', 'again'));
  expect((await once(socket, 'data'))[0]).toContain('HTTP/1.1 200');
});

/**
 * A server with these bounds. `open` connects from a local address, and returns nothing if the connection was closed.
 */
async function openServer(bounds: { ofNetwork: number; ofAll: number }, isProxy?: (address: string) => boolean) {
  const server = createServer();
  boundConnections(server, isProxy, bounds);
  server.on('connection', (socket) => socket.destroyed || socket.write('in'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sockets: Socket[] = [];
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  const open = async (localAddress: string): Promise<Socket | undefined> => {
    const socket = connect({ host: '127.0.0.1', port: (server.address() as AddressInfo).port, localAddress });
    sockets.push(socket);
    const isIn = await new Promise((resolve) => {
      socket
        .once('data', () => resolve(true))
        .once('close', () => resolve(false))
        .on('error', () => {});
    });
    return isIn ? socket : undefined;
  };
  return { server, open };
}

test('a network has a bounded number of connections, and closing one makes room', async () => {
  const { server, open } = await openServer({ ofNetwork: 3, ofAll: 100 });
  // Other addresses of one network share its bound, because one client may have many addresses.
  const [first] = [await open('127.0.0.2'), await open('127.0.0.3'), await open('127.0.0.4')];
  expect(await open('127.0.0.5')).toBeUndefined();
  expect(await open('127.0.1.2')).toBeDefined();
  first?.destroy();
  await expect.poll(() => new Promise((resolve) => server.getConnections((_error, count) => resolve(count)))).toBe(3);
  expect(await open('127.0.0.2')).toBeDefined();
  expect(await open('127.0.0.2')).toBeUndefined();
});

test('all connections together are bounded, also through a proxy, which is not counted as a network', async () => {
  const { open } = await openServer({ ofNetwork: 2, ofAll: 5 }, (address) => address === '127.0.0.9');
  for (let n = 0; n < 5; n += 1) expect(await open('127.0.0.9')).toBeDefined();
  expect(await open('127.0.0.2')).toBeUndefined();
});
