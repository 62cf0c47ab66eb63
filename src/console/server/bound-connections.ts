import type { Server, Socket } from 'node:net';
import { addressGroups } from '../../people/sign-in/address-group.ts';

/** The browsers of a large office that come from one network (/24, /48), with a thousand pages open: each has one for events, and some more for a moment. */
const OF_NETWORK = 2_000;
/** Of all together: a process may have some ten thousand files open. */
const OF_ALL = 10_000;

/**
 * Lets no network have so many connections, idle ones among them, that there are none left for others. What is above is closed before
 * anything is read. A trusted proxy passes on what many send, so that it is counted among all alone.
 */
export function boundConnections(
  server: Server,
  isProxy: ((address: string) => boolean) | undefined,
  { ofNetwork = OF_NETWORK, ofAll = OF_ALL } = {},
): void {
  const open = new Map<string, number>();
  server.maxConnections = ofAll;
  server.on('connection', (socket: Socket) => {
    const { remoteAddress = '' } = socket;
    if (isProxy?.(remoteAddress)) return;
    const network = addressGroups(remoteAddress).at(-1) ?? '';
    const others = open.get(network) ?? 0;
    if (others >= ofNetwork) {
      socket.destroy();
      return;
    }
    open.set(network, others + 1);
    socket.once('close', () => {
      const left = (open.get(network) ?? 1) - 1;
      if (left > 0) open.set(network, left);
      else open.delete(network);
    });
  });
}
