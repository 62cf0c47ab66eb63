import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { LimitlineError, messageOf } from '../../errors.ts';

/** The address of a server that listens there. */
export function addressOf({ host, port, isHttps }: { host: string; port: number; isHttps: boolean }): string {
  return `http${isHttps ? 's' : ''}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/**
 * Where a server listens. Before the first `open`, a port that was given as 0 is not known.
 *
 * @param given.home under which people open it, where that is not the address that it listens on
 */
export function listenOn(
  app: FastifyInstance,
  { host, port, home, isHttps = false }: { host: string; port: number; home?: string | undefined; isHttps?: boolean },
) {
  let bound = port;
  const listens = () => addressOf({ host, port: bound, isHttps });
  return {
    port: () => bound,
    listens,
    url: () => home ?? listens(),
    /** @throws LimitlineError `USAGE` when the port is taken, or may not be used */
    async open(): Promise<void> {
      try {
        await app.listen({ host, port });
      } catch (error) {
        const taken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
        throw new LimitlineError(
          'USAGE',
          taken
            ? `Port ${port} on ${host} is taken, perhaps by another console: open http://${host}:${port}, or set CONSOLE_PORT to another port (0 takes a free one).`
            : `The console cannot listen on ${host}:${port} (${messageOf(error)}); set CONSOLE_PORT to another port.`,
          { cause: error },
        );
      }
      bound = (app.server.address() as AddressInfo).port;
    },
  };
}
