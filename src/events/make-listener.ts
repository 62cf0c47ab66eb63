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

/** EVENTS_SECRET has 200 characters at the most (settings-schema.ts): what is longer is none. */
const SECRET_LIMIT = 200;

type ListenerOptions = {
  host: string;
  /** 0 takes any that is free. */
  port: number;
  secret: string;
  /** Of a body. */
  maxBytes: number;
  /** How many may come in a second, over all connections. */
  perSecond: number;
  /** An event is answered 200 once this has resolved with `kept` or `known`, and not before. */
  keep: KeepEvent;
  log: Log;
  /** Hears what became of each. */
  onEnd?: (end: EventEnd) => void;
  limits?: Partial<ListenerLimits>;
};

/**
 * Listens for the service's events: whatever is posted to `/events/SECRET` is handed as bytes to who keeps it. Their kinds, shape and
 * signature are not shown (docs/service.md, "Events"), so nothing of them is read or believed, and they change nothing. Anything else is answered
 * 404, as a wrong secret is, and its body is not looked at.
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
    // What comes at the end is answered below, and to nobody who lacks the secret.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    clientErrorHandler: connections.refuse,
    frameworkErrors: (_error, _request, reply) => answer(reply, 'not here'),
  });
  connections.guard(app.server);
  // As far as Fastify goes it has no body: it would refuse types that it cannot read, and all types are taken here.
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
    /** Where it listens, with the secret left out. Before it does, a port that was given as 0 is not known. */
    url: () => `http://${host.includes(':') ? `[${host}]` : host}:${bound}/events/…`,

    /** @throws LimitlineError `USAGE` where it cannot listen there */
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

    /** Takes no more, lets what is under way come to its end, and closes. */
    async close(): Promise<void> {
      stop.ask();
      const late = setTimeout(() => app.server.closeAllConnections(), closeMs);
      await app.close();
      clearTimeout(late);
      told.close();
    },
  };
}

/** Answers by what became of an event, and counts that; from when the end was asked for on, each answer ends its connection. */
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

/** Whether a text is the secret: in the same time whatever is given, since digests are compared. */
function makeSecretCheck(secret: string): (given: string) => boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  const expected = digest(secret);
  return (given) => timingSafeEqual(digest(given), expected);
}
