import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { LimitlineError, messageOf } from '../../errors.ts';

/** Addresses that only this machine reaches (RFC 1122, section 3.2.1.3, and RFC 4291, section 2.5.3), and its name. */
const LOOPBACK = /^(?:127(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}|::1|localhost)$/i;

/** @throws LimitlineError `SETTINGS` for an address that others can reach, since the console asks nobody who they are */
export function checkLoopback(host: string): void {
  if (LOOPBACK.test(host)) return;
  throw new LimitlineError(
    'SETTINGS',
    `CONSOLE_HOST is "${host}", but the console has no users yet, and so answers on this machine only; leave it at 127.0.0.1, and come from elsewhere by a tunnel (ssh -L 3000:127.0.0.1:3000).`,
  );
}

/** Whether a connection comes from this machine; Node writes an IPv4 address on an IPv6 socket behind `::ffff:`. */
export function isLoopback(address: string | undefined): boolean {
  return LOOPBACK.test((address ?? '').replace(/^::ffff:/, ''));
}

/** Where a server listens. Before the first `open`, a port that was given as 0 is not known. */
export function listenOn(app: FastifyInstance, { host, port }: { host: string; port: number }) {
  let bound = port;
  return {
    port: () => bound,
    url: () => `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
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
