import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LimitlineError, messageOf } from '../errors.ts';

export type Listener = ReturnType<typeof makeListener>;

/**
 * The port of a server, which can be closed and opened again: after the first time always the same port.
 *
 * @param port 0 takes any that is free
 */
export function makeListener({ server, host, port }: { server: Server; host: string; port: number }) {
  let boundPort = port;
  return {
    /** Where it listens, also while it is shut. Before the first time, a port that was given as 0 is not known. */
    url: () => `http://${host.includes(':') ? `[${host}]` : host}:${boundPort}`,

    /** @throws LimitlineError `USAGE` when the port is taken, or cannot be used */
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

    /** Refuses new connections and ends the open ones at once, whatever they wait for. */
    async shut(): Promise<void> {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
