import { createHash, timingSafeEqual } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { type FastifyReply, fastify } from 'fastify';
import { counted } from '../counted.ts';
import { LimitlineError, messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import { EVENT_ANSWERS, type EventEnd, type KeepEvent } from './arrived-event.ts';
import { guardConnections, type ListenerLimits, makeRate, USUAL_LIMITS } from './guard-connections.ts';
import { makeTakeEvent } from './take-event.ts';

/** The most characters of a secret in a URL: EVENTS_SECRET has no more (settings-schema.ts). */
const SECRET_LIMIT = 200;

type ListenerOptions = {
  host: string;
  /** The port to listen on; 0 takes any free one. */
  port: number;
  secret: string;
  /** Most bytes of an event's body; a larger event is rejected. */
  maxBytes: number;
  /** Most events a second, over all connections. */
  perSecond: number;
  /** Keeps an event. The sender gets the status 200 only after this has resolved to `kept` or `known`. */
  keep: KeepEvent;
  log: Log;
  /** Called with the outcome of each request and of each connection that ended without one. */
  onEnd?: (end: EventEnd) => void;
  limits?: Partial<ListenerLimits>;
};

/**
 * Listens for the service's events: passes the bytes of whatever is posted to `/events/SECRET` to `keep`. Their kinds, format and signature
 * are unknown (docs/service.md, "Events"), so the listener neither reads nor trusts them, and they change nothing. Anything else gets 404,
 * like a wrong secret, and its body is not read.
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
    // Fastify does not respond 503 by itself while the server closes. The listener's own code does, so that only senders with the secret
    // learn of the closing.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    clientErrorHandler: connections.refuse,
    frameworkErrors: (_error, _request, reply) => answer(reply, 'not here'),
  });
  connections.guard(app.server);
  // Without this Fastify would reject content types that it cannot parse; the body is read in take-event.ts.
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
    /** The URL without the secret. A port given as 0 is known only after listening. */
    url: () => `http://${host.includes(':') ? `[${host}]` : host}:${bound}/events/…`,

    /** @throws LimitlineError `USAGE` if it cannot listen there */
    async listen(): Promise<void> {
      await app.listen({ host, port }).catch((error) => {
        const message = `Events cannot be listened for at ${host} ${port} (${messageOf(error)}): set EVENTS_PORT to another port, or EVENTS_HOST to an address of this machine.`;
        throw new LimitlineError('USAGE', message, { cause: error });
      });
      bound = (app.server.address() as AddressInfo).port;
    },

    /** Accepts no more events, lets those under way end, and closes. */
    async close(): Promise<void> {
      stop.ask();
      const late = setTimeout(() => app.server.closeAllConnections(), closeMs);
      await app.close();
      clearTimeout(late);
      told.close();
    },
  };
}

/**
 * Delay in ms of the first line in the log, so that the person who sets the listener up soon sees the first event. Later there is one line
 * a minute, even in a flood.
 */
const FIRST_MS = 1_000;
const EVERY_MS = 60_000;

/** The log's words for each outcome; they follow the number of events with it. */
const WORDS: Readonly<Record<EventEnd, string>> = {
  kept: 'kept',
  known: 'known before',
  full: 'not kept, since EVENTS_KEEP_MB is used up',
  failed: 'not kept, since Redis did not take them',
  busy: 'not kept, since too much waited for Redis',
  stopping: 'turned away at the end',
  'too many': 'above EVENTS_PER_SECOND',
  'too large': 'above EVENTS_MAX_KB',
  'broken off': 'broken off',
  'wrong secret': 'with another secret than EVENTS_SECRET',
  'not here': 'sent to another address or by another method',
  unreadable: 'unreadable or too slow',
  crowded: 'beyond the connections that may be open',
};

/** Outcomes that a person has to act on. */
const TROUBLE: readonly EventEnd[] = ['full', 'failed', 'busy', 'wrong secret', 'crowded'];

/**
 * Logs how many events had which outcome: once a minute if any came, the first time after a second. Only numbers and error messages; never
 * an address, a header or a body.
 */
export function makeEventLog(log: Log) {
  const counts = new Map<EventEnd, number>();
  let reason: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  let saidAtMs = Number.NEGATIVE_INFINITY;

  const say = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (counts.size === 0) return;
    saidAtMs = performance.now();
    const facts = { events: Object.fromEntries(counts), ...(reason === undefined ? {} : { reason }) };
    const all = [...counts].reduce((sum, [, count]) => sum + count, 0);
    const parts = [...counts].map(([end, count]) => `${count.toLocaleString('en')} ${WORDS[end]}`);
    const level = TROUBLE.some((end) => counts.has(end)) ? 'warn' : 'info';
    log[level](facts, `${counted(all, 'event')} came: ${parts.join(', ')}`);
    counts.clear();
    reason = undefined;
  };

  return {
    count(end: EventEnd, error?: unknown): void {
      counts.set(end, (counts.get(end) ?? 0) + 1);
      if (error !== undefined) reason = messageOf(error);
      timer ??= setTimeout(say, Math.max(FIRST_MS, saidAtMs + EVERY_MS - performance.now())).unref();
    },
    /** Logs the events that were not logged yet; for the end of the process. */
    close: say,
  };
}

/** Sends the response to an outcome, and counts the outcome; after `stop.ask` each response also ends its connection. */
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

/** Makes the test whether a text is the secret. Digests are compared, in constant time, so the time tells nothing about the secret. */
function makeSecretCheck(secret: string): (given: string) => boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  const expected = digest(secret);
  return (given) => timingSafeEqual(digest(given), expected);
}
