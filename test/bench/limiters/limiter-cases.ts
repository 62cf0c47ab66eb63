import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import fastifyRateLimit from '@fastify/rate-limit';
import express from 'express';
import { type Options, rateLimit } from 'express-rate-limit';
import Fastify from 'fastify';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { isLimited, LIMITED_PER_S, REFUSALS, type RunningLimiter, type StartLimiter } from './limiter.ts';
import { nginxLimit } from './nginx.ts';

/** A rate limiter with settings as its users choose them. */
export type LimiterCase = {
  /** The limiter's package, followed by the special settings of this case. */
  name: string;
  start: StartLimiter;
  /** The settings that Limitline needs to understand this limiter's refusals. */
  env?: Record<string, string>;
  /** How many times the usual number of rows a run has, if the calls of the usual number fit into one window. */
  rowsTimes?: number;
  /** Whether it needs an nginx on this machine. */
  needsNginx?: true;
};

/**
 * How many times the usual number of rows a run has if a window is a minute. A window has room for 2,400 calls; twice the usual calls fill
 * one, and most of another.
 */
const ROWS_OF_A_MINUTE = 2;

const WINDOWS_S = [1, 5, 60];

/**
 * The options of express-rate-limit for each family of headers. It calls its older family `legacyHeaders`, and the others by the draft that
 * they follow.
 */
const EXPRESS_HEADERS = [
  ['draft-6', { standardHeaders: 'draft-6', legacyHeaders: false }],
  ['draft-7', { standardHeaders: 'draft-7', legacyHeaders: false }],
  ['draft-8', { standardHeaders: 'draft-8', legacyHeaders: false }],
  ['legacy', { standardHeaders: false, legacyHeaders: true }],
] as const;

/** The cases of nginx with their directives, as in nginx's own examples. A burst of 20 calls is half a second's worth. */
const NGINX = [
  ['nginx 429', 'limit_req zone=api burst=20 nodelay; limit_req_status 429;'],
  ['nginx 429 delaying', 'limit_req zone=api burst=20; limit_req_status 429;'],
  ['nginx 503', 'limit_req zone=api burst=20 nodelay;'],
] as const;

/** Limiters that stand in front of many services. */
export const LIMITER_CASES: readonly LimiterCase[] = [
  ...EXPRESS_HEADERS.flatMap(([words, headers]) =>
    WINDOWS_S.map((windowS) => ({
      name: `express-rate-limit ${words} ${windowS}s`,
      start: expressRateLimit(windowS, headers),
      ...(windowS === 60 && { rowsTimes: ROWS_OF_A_MINUTE }),
    })),
  ),
  { name: 'fastify-rate-limit 1s', start: fastifyLimit(1, { enableDraftSpec: false }) },
  { name: 'fastify-rate-limit draft 5s', start: fastifyLimit(5, { enableDraftSpec: true }) },
  { name: 'rate-limiter-flexible 1s', start: flexibleLimit({ saysAlways: true }) },
  { name: 'rate-limiter-flexible 1s refusals', start: flexibleLimit({ saysAlways: false }) },
  ...NGINX.map(([name, limit]) => ({
    name,
    start: nginxLimit(limit),
    needsNginx: true as const,
    // nginx's default status says nothing of a limit, so a setting says that 503 means that nothing was made.
    ...(name === 'nginx 503' && { env: { SERVICE_NOT_MADE: '503' } }),
  })),
];

/** express-rate-limit with its own store and refusals; a window begins with the first call after the end of the last window. */
function expressRateLimit(windowS: number, headers: Pick<Options, 'standardHeaders' | 'legacyHeaders'>): StartLimiter {
  return serveLimiter((passOn) => {
    const app = express();
    const limit = LIMITED_PER_S * windowS;
    app.use(rateLimit({ windowMs: windowS * 1_000, limit, ...headers, skip: ({ url }) => !isLimited(url) }));
    app.use(passOn);
    return app;
  });
}

/** The package @fastify/rate-limit with its own store, and the headers of its older versions or those of the IETF draft. */
function fastifyLimit(windowS: number, { enableDraftSpec }: { enableDraftSpec: boolean }): StartLimiter {
  return serveLimiter(async (passOn) => {
    const app = Fastify();
    await app.register(fastifyRateLimit, {
      max: LIMITED_PER_S * windowS,
      timeWindow: windowS * 1_000,
      enableDraftSpec,
      allowList: ({ url }) => !isLimited(url),
    });
    // Bodies are not parsed here: they are passed on unread.
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', (_call, _body, done) => done(null));
    app.all('/*', (call, reply) => {
      reply.hijack();
      for (const [name, value] of Object.entries(reply.getHeaders())) reply.raw.setHeader(name, value ?? '');
      passOn(call.raw, reply.raw);
    });
    await app.ready();
    return app.routing;
  });
}

/** rate-limiter-flexible in memory, with the headers of its README on every answer, or on refusals alone. */
function flexibleLimit({ saysAlways }: { saysAlways: boolean }): StartLimiter {
  return serveLimiter((passOn) => {
    const limiter = new RateLimiterMemory({ points: LIMITED_PER_S, duration: 1 });
    return async (call, answer) => {
      if (!isLimited(call.url ?? '')) return passOn(call, answer);
      const used = await limiter.consume(call.socket.remoteAddress ?? '').catch((refusal: unknown) => refusal);
      if (!(used instanceof RateLimiterRes)) throw used;
      const passes = used.consumedPoints <= LIMITED_PER_S;
      if (passes && !saysAlways) return passOn(call, answer);
      answer.setHeader('Retry-After', used.msBeforeNext / 1_000);
      answer.setHeader('X-RateLimit-Limit', LIMITED_PER_S);
      answer.setHeader('X-RateLimit-Remaining', used.remainingPoints);
      answer.setHeader('X-RateLimit-Reset', Math.ceil((Date.now() + used.msBeforeNext) / 1_000));
      if (passes) return passOn(call, answer);
      answer.writeHead(429, { 'content-type': 'text/plain' }).end('Too Many Requests');
    };
  });
}

/**
 * A limiter that is a piece of a Node server: in this process, on a free port of this machine.
 *
 * @param makeAnswer what answers calls: it refuses them, or passes them on
 */
function serveLimiter(makeAnswer: (passOn: Answer) => Answer | Promise<Answer>): StartLimiter {
  return async (upstream): Promise<RunningLimiter> => {
    const { passOn, close } = makePassOn(upstream);
    const answerCall = await makeAnswer(passOn);
    let refused = 0;
    const server = createServer((call, answer) => {
      answer.once('finish', () => {
        if (REFUSALS.includes(answer.statusCode)) refused += 1;
      });
      answerCall(call, answer);
    });
    server.listen({ host: '127.0.0.1', port: 0 });
    await once(server, 'listening');
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      refused: () => refused,
      async [Symbol.asyncDispose]() {
        const closed = once(server, 'close');
        server.close();
        server.closeAllConnections();
        close();
        await closed;
      },
    };
  };
}

type Answer = (call: IncomingMessage, answer: ServerResponse) => void;

/** Headers of one connection, not of the answer (RFC 9110, section 7.6.1). */
const OF_CONNECTION = ['connection', 'keep-alive', 'transfer-encoding'];

/**
 * Passes calls on to a service as they are, and its answers back, with the headers that the limiter has set. If the service gives no
 * answer, the connection breaks, as it would without a limiter.
 */
function makePassOn(upstream: string) {
  const agent = new Agent({ keepAlive: true });
  return {
    passOn(call: IncomingMessage, answer: ServerResponse): void {
      const { method, headers } = call;
      const passed = request(new URL(call.url ?? '/', upstream), { agent, method, headers }, (theirs) => {
        const kept = Object.entries(theirs.headers).filter(([name]) => !OF_CONNECTION.includes(name));
        answer.writeHead(theirs.statusCode ?? 502, Object.fromEntries(kept));
        pipeline(theirs, answer).catch(() => answer.destroy());
      });
      pipeline(call, passed).catch(() => answer.destroy());
    },
    close: (): void => agent.destroy(),
  };
}
