import { randomBytes } from 'node:crypto';
import type { Server as HttpsServer } from 'node:https';
import type { AddressInfo, Server, Socket } from 'node:net';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { LimitlineError, messageOf } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { NOBODY } from '../../people/person.ts';
import { addressGroups } from '../../people/sign-in/address-group.ts';
import { NO_RIGHTS } from '../access/access.ts';
import type { ConsoleApp } from '../console-app.ts';
import { keepCertificate, readCertificate, TLS_RULES } from './certificate.ts';
import { addGuard, sayPlainly } from './guard.ts';
import type { Reach } from './reach.ts';
import { isHomeOf } from './who-asks.ts';

/** The longest time for a page; then the person is told that Redis does not answer. */
const PAGE_LIMIT_MS = 4_000;

/** The largest body of a form with a few fields; uploads have limits of their own. */
export const FORM_LIMIT_BYTES = 256 * 1_024;

/** The most bytes of a request's line and headers: more than any of the console's addresses with all filters. */
const HEADERS_LIMIT_BYTES = 16 * 1_024;

/** The most characters of a parameter in a path: a row's key or a portfolio's name, percent-encoded. */
const PARAMETER_LIMIT = 1_000;

/**
 * The server on which pages are added. It refuses requests by the rules of guard.ts. With a certificate it speaks only HTTPS.
 *
 * @throws LimitlineError `SETTINGS` for a certificate that cannot be used
 */
export function makeServer({ reach, port, log }: { reach: Reach; port: number; log: Log }) {
  const certificate = reach.certificate && readCertificate(reach.certificate);
  const demandHttps = makeHttpsDemand(reach.home);
  const http = { maxHeaderSize: HEADERS_LIMIT_BYTES };
  const app = fastify({
    logger: false,
    genReqId: () => randomBytes(4).toString('hex'),
    bodyLimit: FORM_LIMIT_BYTES,
    handlerTimeout: PAGE_LIMIT_MS,
    routerOptions: { maxParamLength: PARAMETER_LIMIT, ignoreTrailingSlash: true },
    forceCloseConnections: 'idle',
    frameworkErrors: (_error, request, reply) => {
      demandHttps(request, reply);
      sayPlainly(reply, 400, 'The address cannot be read.');
    },
    ...(reach.isProxy ? { trustProxy: reach.isProxy } : {}),
    ...(certificate ? { https: { ...http, ...certificate, ...TLS_RULES } } : { http }),
    // A Fastify server with https differs from one with http only in its type.
  }) as unknown as ConsoleApp;
  const { host, home } = reach;
  const address = listenOn(app, { host, port, home: home?.origin, isHttps: certificate !== undefined });
  app.decorateRequest('person');
  app.decorateRequest('rights');
  app.addHook('onRequest', async (request, reply) => {
    demandHttps(request, reply);
    request.person = NOBODY;
    request.rights = NO_RIGHTS;
  });
  closeUnread(app);
  boundConnections(app.server, reach.isProxy);
  addGuard(app, { port: address.port, reach });
  if (certificate && reach.certificate) {
    const server = app.server as unknown as HttpsServer;
    const given = { files: reach.certificate, first: certificate, host: home?.hostname.replace(/^\[|\]$/g, ''), log };
    const stop = keepCertificate(server, given);
    app.addHook('onClose', async () => stop());
  }
  return { app, address };
}

/** HSTS (RFC 6797) for two years, including subdomains (OWASP ASVS 5.0, 3.4.1 asks for a year at least). */
const DEMAND = 'max-age=63072000; includeSubDomains';

/**
 * Sets HSTS on every answer, refusals too, but only under the console's own name: for localhost the header would block every
 * other program there.
 */
function makeHttpsDemand(home: URL | undefined) {
  return ({ headers }: Pick<FastifyRequest, 'headers'>, reply: FastifyReply): void => {
    if (home?.protocol === 'https:' && isHomeOf(home, headers.host ?? ''))
      reply.header('strict-transport-security', DEMAND);
  };
}

/**
 * The most connections of one network (/24, /48): enough for a large office with a thousand open pages, each with a stream and
 * short requests.
 */
const OF_NETWORK = 2_000;
/** The most connections of all networks together: a process may have only some ten thousand files open. */
const OF_ALL = 10_000;

/**
 * Limits the connections of one network, idle ones included, so that other networks find one free. Connections beyond the limit
 * are closed unread. A trusted proxy forwards many people's requests, so only the limit of all networks applies to it.
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

/** The time between two checks of a body that still arrives after its request was answered. Node discards such a body. */
const LINGER_MS = 5_000;

/**
 * The fewest bytes that must arrive of an answered request's body between two checks; with fewer, the connection is closed. A
 * browser reads the answer only after it has sent a large file, so the connection must stay open until then.
 */
const LEAST_BYTES = 32 * 1_024;

/**
 * Closes connections whose request was answered before its body arrived, and whose body stops arriving. Node's own limit for a request does
 * not fit, since an upload may take hours. Without any limit, unknown clients could announce bodies, send none, and so use up all sockets.
 */
export function closeUnread(app: FastifyInstance, { lingerMs = LINGER_MS } = {}): void {
  app.addHook('onResponse', async ({ raw }) => {
    if (raw.complete || raw.destroyed) return;
    const { socket } = raw;
    let { bytesRead } = socket;
    const timer = setInterval(() => {
      const isComing = socket.bytesRead - bytesRead >= LEAST_BYTES;
      bytesRead = socket.bytesRead;
      if (isComing && !raw.complete) return;
      clearInterval(timer);
      if (!raw.complete) socket.destroy();
    }, lingerMs).unref();
  });
}

export function addressOf({ host, port, isHttps }: { host: string; port: number; isHttps: boolean }): string {
  return `http${isHttps ? 's' : ''}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/**
 * Listens on a host and port, and knows the addresses of the server. With port 0, the port is known only after `open`.
 *
 * @param given.home the address under which people open the console, where it is not the one it listens on
 */
function listenOn(
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
