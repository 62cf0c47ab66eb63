import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** A port that was free a moment ago, for Redis, which cannot choose one itself. */
export async function freePort(): Promise<number> {
  // A cluster's nodes use the port 10,000 above their own as well, so it must be low enough.
  for (;;) {
    const listener = createServer().listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const { port } = listener.address() as AddressInfo;
    listener.close();
    await once(listener, 'close');
    if (port < 55_000) return port;
  }
}
