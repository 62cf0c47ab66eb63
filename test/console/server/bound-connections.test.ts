import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { boundConnections } from '../../../src/console/server/make-server.ts';

/** A server with these bounds; `open` connects from an address of this machine, and answers whether the connection stays. */
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

test('a network has so many connections and leaves others theirs, and one that is closed makes room', async () => {
  const { server, open } = await openServer({ ofNetwork: 3, ofAll: 100 });
  // Other addresses of the network are no more of them: whoever has one has many.
  const [first] = [await open('127.0.0.2'), await open('127.0.0.3'), await open('127.0.0.4')];
  expect(await open('127.0.0.5')).toBeUndefined();
  expect(await open('127.0.1.2')).toBeDefined();
  first?.destroy();
  await expect.poll(() => new Promise((resolve) => server.getConnections((_error, count) => resolve(count)))).toBe(3);
  expect(await open('127.0.0.2')).toBeDefined();
  expect(await open('127.0.0.2')).toBeUndefined();
});

test('all together have so many, also those that a proxy passes on, which is no network of its own', async () => {
  const { open } = await openServer({ ofNetwork: 2, ofAll: 5 }, (address) => address === '127.0.0.9');
  for (let n = 0; n < 5; n += 1) expect(await open('127.0.0.9')).toBeDefined();
  expect(await open('127.0.0.2')).toBeUndefined();
});
