import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LimitlineError, messageOf } from '../errors.ts';

export type Listener = ReturnType<typeof makeListener>;

/**
 * A server's port, which can be closed and opened again. It stays the same after the first opening.
 *
 * @param port 0 takes any free port
 */
export function makeListener({ server, host, port }: { server: Server; host: string; port: number }) {
  let boundPort = port;
  return {
    /** The address, also while the port is closed. With port 0 it is unknown until the first opening. */
    url: () => `http://${host.includes(':') ? `[${host}]` : host}:${boundPort}`,

    /** @throws LimitlineError `USAGE` when the port is taken or cannot be used */
    async open(): Promise<void> {
      if (server.listening) return;
      server.listen({ host, port: boundPort });
      try {
        await once(server, 'listening');
      } catch (error) {
        throw new LimitlineError(
          'USAGE',
          `The stand-in cannot listen on ${host}:${boundPort}: ${messageOf(error)}; give another port.`,
          { cause: error },
        );
      }
      boundPort = (server.address() as AddressInfo).port;
    },

    /** Refuses new connections and closes the open ones at once, even if they wait for an answer. */
    async shut(): Promise<void> {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
