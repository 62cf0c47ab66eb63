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

/** So long a page may take: who waits longer for Redis is told so instead. */
const PAGE_LIMIT_MS = 4_000;

/** Forms of ours have a few fields; uploads have limits of their own. */
export const FORM_LIMIT_BYTES = 256 * 1_024;

/** Larger than any address of ours with all of its filters. */
const HEADERS_LIMIT_BYTES = 16 * 1_024;

/** A path parameter may be a row's key or a portfolio's name in percent encoding. */
const PARAMETER_LIMIT = 1_000;

/**
 * The server under the pages, which lets nobody in but by the guard's rules. With a certificate it speaks HTTPS alone.
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
    // What speaks https differs from what speaks http in its type alone.
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

/** RFC 6797; two years, and below our name too, as OWASP ASVS 5.0, item 3.4.1 has it (a year at least). */
const DEMAND = 'max-age=63072000; includeSubDomains';

/**
 * Tells browsers to come by https from now on, on every answer, refusals among them. Under our own name alone: for localhost the
 * header would shut out every other program there.
 */
function makeHttpsDemand(home: URL | undefined) {
  return ({ headers }: Pick<FastifyRequest, 'headers'>, reply: FastifyReply): void => {
    if (home?.protocol === 'https:' && isHomeOf(home, headers.host ?? ''))
      reply.header('strict-transport-security', DEMAND);
  };
}

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

/** So often it is looked whether the rest comes, which Node throws away. */
const LINGER_MS = 5_000;

/** A browser reads the answer to a large file when it has sent all of it: who sends as much as this each time is waited for. */
const LEAST_BYTES = 32 * 1_024;

/**
 * Closes connections whose request was answered before all of it came, and of which the rest does not come either. Node's own limit for
 * a whole request is not for us, since an upload may take hours; without any, whoever announces a body and sends none would keep a
 * socket for ever with each request, without an account, until there are no more for others.
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
    socket.once('close', () => clearInterval(timer));
  });
}

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
