import { randomBytes } from 'node:crypto';
import type { Server } from 'node:https';
import { type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import type { Log } from '../../log.ts';
import { NOBODY } from '../../people/person.ts';
import { NO_RIGHTS } from '../access/access.ts';
import type { ConsoleApp } from '../console-app.ts';
import { boundConnections } from './bound-connections.ts';
import { keepCertificate, readCertificate, TLS_RULES } from './certificate.ts';
import { closeUnread } from './close-unread.ts';
import { addGuard, sayPlainly } from './guard.ts';
import { listenOn } from './listen.ts';
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
    const server = app.server as unknown as Server;
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
