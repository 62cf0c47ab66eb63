import { createHash, timingSafeEqual } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { type FastifyReply, fastify } from 'fastify';
import { LimitlineError, messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { KeepEvent } from './arrived-event.ts';
import { EVENT_ANSWERS, type EventEnd } from './event-ends.ts';
import { makeEventLog } from './event-log.ts';
import { guardConnections } from './guard-connections.ts';
import { type ListenerLimits, USUAL_LIMITS } from './listener-limits.ts';
import { makeRate } from './rate.ts';
import { makeTakeEvent } from './take-event.ts';

/** EVENTS_SECRET has at most 200 characters (settings-schema.ts), so a longer text cannot be it. */
const SECRET_LIMIT = 200;

type ListenerOptions = {
  host: string;
  /** 0 takes any free port. */
  port: number;
  secret: string;
  /** The most bytes of a body. */
  maxBytes: number;
  /** The most events in a second, over all connections. */
  perSecond: number;
  /** Keeps an event. The event is answered with 200 only once this has resolved with `kept` or `known`. */
  keep: KeepEvent;
  log: Log;
  /** Called with the outcome of each event. */
  onEnd?: (end: EventEnd) => void;
  limits?: Partial<ListenerLimits>;
};

/**
 * Listens for the service's events: the bytes of any POST to `/events/SECRET` go to `keep`. The format and signature of events are not
 * documented (docs/service.md, "Events"), so their content is neither read nor trusted, and they change no row. Any other request is
 * answered with 404, as a wrong secret is, and its body is not read.
 */
export function makeEventListener(options: ListenerOptions) {
  const { host, port } = options;
  const limits = { ...USUAL_LIMITS, ...options.limits };
  const { headersBytes, headersMs, lookMs, requestMs, idleMs, closeMs } = limits;
  const { told, answer, stop } = makeAnswers(options);
  const connections = guardConnections(limits, told.count);
  const isSecret = makeSecretCheck(options.secret);
  const mayCome = makeRate(options);
  const take = makeTakeEvent({ ...options, limits });

  const app = fastify({
    logger: false,
    http: { maxHeaderSize: headersBytes, headersTimeout: headersMs, connectionsCheckingInterval: lookMs },
    requestTimeout: requestMs,
    keepAliveTimeout: idleMs,
    routerOptions: { maxParamLength: SECRET_LIMIT },
    // Requests that come during the shutdown are answered below, and only if they have the secret.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    clientErrorHandler: connections.refuse,
    frameworkErrors: (_error, _request, reply) => answer(reply, 'not here'),
  });
  connections.guard(app.server);
  // Fastify must not read the body: it would refuse types that it does not know, and all types are accepted here.
  app.addHttpMethod('POST', { hasBody: false, overrideExisting: true });
  app.addHook('onRequest', (request, reply, done) => {
    if (request.is404) answer(reply, 'not here');
    else done();
  });
  app.setErrorHandler((error, _request, reply) => answer(reply, 'failed', error));
  app.post<{ Params: { secret: string } }>('/events/:secret', async (request, reply) => {
    if (!isSecret(request.params.secret)) return answer(reply, 'wrong secret');
    if (stop.isAsked()) return answer(reply, 'stopping');
    if (!mayCome()) return answer(reply, 'too many');
    const { end, error } = await take(request.raw, () => connections.goOn(request.raw));
    return answer(reply, end, error);
  });

  let bound = port;
  return {
    /** The address, without the secret. If the port was given as 0, it is known only after `listen`. */
    url: () => `http://${host.includes(':') ? `[${host}]` : host}:${bound}/events/…`,

    /** @throws LimitlineError `USAGE` if the port cannot be opened */
    async listen(): Promise<void> {
      await app.listen({ host, port }).catch((error) => {
        throw new LimitlineError(
          'USAGE',
          `Events cannot be listened for at ${host} ${port} (${messageOf(error)}): set EVENTS_PORT to another port, or EVENTS_HOST to an address of this machine.`,
          { cause: error },
        );
      });
      bound = (app.server.address() as AddressInfo).port;
    },

    /** Accepts no new requests, lets the current ones finish, and closes. */
    async close(): Promise<void> {
      stop.ask();
      const late = setTimeout(() => app.server.closeAllConnections(), closeMs);
      await app.close();
      clearTimeout(late);
      told.close();
    },
  };
}

/** Answers each event by its outcome, and counts outcomes. Once the shutdown has begun, each answer closes its connection. */
function makeAnswers({ log, onEnd = () => {} }: Pick<ListenerOptions, 'log' | 'onEnd'>) {
  const { count, close } = makeEventLog(log);
  let isStopping = false;
  const told = {
    close,
    count(end: EventEnd, error?: unknown): void {
      count(end, error);
      onEnd(end);
    },
  };
  return {
    told,
    stop: { ask: () => (isStopping = true), isAsked: () => isStopping },
    answer(reply: FastifyReply, end: EventEnd, error?: unknown): FastifyReply {
      told.count(end, error);
      const { status, body, retryAfterS } = EVENT_ANSWERS[end];
      reply.code(status).header('content-type', 'application/json; charset=utf-8');
      if (retryAfterS !== undefined) reply.header('retry-after', String(retryAfterS));
      if (isStopping) reply.header('connection', 'close');
      return reply.send(body);
    },
  };
}

/** Compares a text with the secret. Digests are compared, so the time does not depend on the text. */
function makeSecretCheck(secret: string): (given: string) => boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  const expected = digest(secret);
  return (given) => timingSafeEqual(digest(given), expected);
}
