import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import formbody from '@fastify/formbody';
import { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { CALL_KINDS, type CallKind } from '../call-kind.ts';
import { LimitlineError, messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import { SERVICE_PATHS } from '../service/paths.ts';
import { type ReceivedDocument, readDocumentBody } from './document-body.ts';
import type { FaultSettings, Faults } from './fault-settings.ts';
import type { RequestGate } from './gate.ts';
import type { MadeRecord, RequestKind, RequestTimes } from './record.ts';
import { type Checked, errorAnswer, type ResourceEndpoints, STAND_IN_SESSION_PATH } from './resource-endpoints.ts';
import type { Serve } from './serve.ts';

/** The stand-in's HTTP routes. It logs no requests. */
export function makeApp(parts: {
  gate: RequestGate;
  endpoints: ResourceEndpoints;
  tokenEndpoint: (form: unknown) => Checked;
  serve: Serve;
  times: RequestTimes;
  control: Control;
  log: Log;
}): FastifyInstance {
  const { gate, endpoints, tokenEndpoint, serve, times, control, log } = parts;
  const app = fastify({ logger: false });

  /** Answers Fastify's own errors: a body that is not JSON, or another content type than documented. */
  const failed = (kind: RequestKind) => (error: FastifyError, _request: FastifyRequest, reply: FastifyReply) => {
    const status = error.statusCode ?? 500;
    if (status >= 500 && !reply.raw.destroyed) log.error({ kind, error: messageOf(error) }, 'the stand-in failed');
    serve.send(kind, reply, errorAnswer(status, 'bad_request', messageOf(error)));
  };
  const resource = (kind: CallKind | 'session') => ({
    errorHandler: failed(kind),
    onRequest: (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
      times.arrived(performance.now());
      reply.raw.once('close', times.left);
      const refusal = gate.resource(request, reply);
      if (refusal) serve.send(kind, reply, refusal);
      else done();
    },
  });
  const token = {
    errorHandler: failed('token'),
    onRequest: (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
      const refusal = gate.token(request);
      if (refusal) serve.send('token', reply, refusal);
      else done();
    },
  };

  app.setErrorHandler(failed('other'));
  app.setNotFoundHandler((request, reply) =>
    serve.send(
      'other',
      reply,
      errorAnswer(404, 'not_found', `the service's document has no ${request.method} ${request.url}`),
    ),
  );
  // Plain text is refused, which Fastify accepts by default: only JSON is documented.
  app.removeContentTypeParser('text/plain');
  for (const kind of CALL_KINDS.filter((each) => each !== 'document')) {
    app.post(SERVICE_PATHS[kind], resource(kind), ({ body }, reply) =>
      serve.serve(kind, endpoints[kind](body), body, reply),
    );
  }
  app.post(STAND_IN_SESSION_PATH, resource('session'), ({ body }, reply) =>
    serve.serve('session', endpoints.session(body), body, reply),
  );
  // Documents and tokens have Fastify scopes of their own, because their bodies are parsed in other ways.
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('application/json', (_request: FastifyRequest, payload: AsyncIterable<Buffer>) =>
      readDocumentBody(payload),
    );
    scope.post<{ Body: ReceivedDocument | undefined }>(
      SERVICE_PATHS.document,
      resource('document'),
      ({ body }, reply) => serve.serve('document', endpoints.document(body), body?.json, reply),
    );
  });
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    await scope.register(formbody);
    scope.post(SERVICE_PATHS.token, token, ({ body }, reply) => serve.serve('token', tokenEndpoint(body), body, reply));
  });
  app.register(async (scope) => addControlEndpoints(scope, control), { prefix: '/_stand-in' });
  return app;
}

/** The operations on a running stand-in, for its own process and over HTTP. */
export function makeControl(given: {
  faults: Faults;
  record: MadeRecord;
  times: RequestTimes;
  followOutage: () => void;
  log: Log;
}) {
  const { faults, record, times, followOutage, log } = given;
  const counts = () => ({
    requests: record.requests(),
    made: record.totals(),
    maxPerSecond: times.maxPerSecond(),
    maxInFlight: times.maxInFlight(),
  });
  return {
    /** Requests by kind and answer, made objects by kind, and peaks of traffic at the resource endpoints. */
    counts,

    /** The counts, and how often each object was made. */
    report: () => ({ ...counts(), madeTwice: record.twice(), times: record.times() }),

    faults: () => ({ settings: faults.settings(), hits: faults.hits() }),

    /** Applies a change of faults, except for closing the port. @throws LimitlineError `USAGE` */
    setFaults(change: unknown): void {
      faults.set(change);
      // Only names are logged, not the change itself: its rules may contain parts of bodies.
      log.info({ changed: Object.keys(Object(change)) }, 'the stand-in has new faults');
    },

    /** Opens or closes the port, as the fault `outage` says. */
    followOutage,

    /** Resets all counts, and the faults to those at the start. Does not touch the port. */
    reset(): void {
      record.reset();
      times.reset();
      faults.restore();
    },
  };
}

type Control = ReturnType<typeof makeControl>;

/**
 * The stand-in's own endpoints, which the service lacks: `GET faults` (the active ones, and how often each rule
 * applied), `POST faults` (a JSON object with members to replace), `GET made` (what was really made), `POST reset`
 * (counts to zero, faults as at the start). Only this machine may call them, and they are not counted.
 */
function addControlEndpoints(app: FastifyInstance, control: Control): void {
  const refuse = (reply: FastifyReply, status: number, message: string) =>
    reply.code(status).send(errorAnswer(status, 'refused', message).body);

  app.addHook('onRequest', async ({ socket }, reply) =>
    LOOPBACK.test(socket.remoteAddress ?? '') ? undefined : refuse(reply, 403, 'only for this machine'),
  );
  app.get('/faults', async () => control.faults());
  app.get('/made', async () => control.report());
  app.post('/faults', async ({ body }, reply) => {
    if (endsNever(body))
      return refuse(reply, 422, 'outage.forMs is needed: without it nothing could open the port again');
    try {
      control.setFaults(body);
    } catch (error) {
      return refuse(reply, 422, messageOf(error));
    }
    // The port is closed only after this response, which closing at once would cut off.
    reply.raw.once('close', control.followOutage);
    return control.faults();
  });
  app.post('/reset', async (_request, reply) => {
    control.reset();
    reply.raw.once('close', control.followOutage);
    return control.report();
  });
}

/** Loopback addresses: IPv4, IPv6, and IPv4 mapped into IPv6. */
const LOOPBACK = /^(?:127\.|::1$|::ffff:127\.)/;

function endsNever(change: unknown): boolean {
  const outage = Object(Object(change).outage);
  return outage.how === 'refuse' && outage.forMs === undefined;
}

/**
 * Opens and closes the port according to the outage setting, and ends an outage when its time is over. Changes run one
 * after the other, so opening and closing never overlap.
 */
export function makeOutage({ faults, listener, log }: { faults: Faults; listener: Listener; log: Log }) {
  let running = false;
  let followed: FaultSettings['outage'] | undefined;
  let timer: NodeJS.Timeout | undefined;
  let last: Promise<void> = Promise.resolve();

  const apply = async () => {
    const { outage } = faults.settings();
    if (!running || outage === followed) return;
    followed = outage;
    clearTimeout(timer);
    if (outage?.how === 'refuse') await listener.shut();
    else await listener.open();
    if (outage?.forMs !== undefined) timer = setTimeout(end, outage.forMs);
  };
  const end = () => {
    faults.set({ outage: null });
    followInBackground();
  };
  const follow = (): Promise<void> => {
    last = last.catch(() => {}).then(apply);
    return last;
  };
  const followInBackground = (): void => {
    follow().catch((error) => log.error({ error: messageOf(error) }, 'the stand-in cannot open its port again'));
  };

  return {
    /** Starts the port. It is opened first even if the settings begin with an outage: with port 0, its number is unknown before. */
    async start(): Promise<void> {
      running = true;
      await listener.open();
      await follow();
    },
    /** Opens or closes the port as the faults say; to be called after each change of them. Rejects if the port cannot be opened. */
    follow,
    /** Opens or closes the port as the faults say. The caller does not wait for it; a failure is logged. */
    followInBackground,
    async stop(): Promise<void> {
      running = false;
      await last.catch(() => {});
      clearTimeout(timer);
      await listener.shut();
    },
  };
}

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
        const message = `The stand-in cannot listen on ${host}:${boundPort}: ${messageOf(error)}; give another port.`;
        throw new LimitlineError('USAGE', message, { cause: error });
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

type Listener = ReturnType<typeof makeListener>;
