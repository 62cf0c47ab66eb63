import fastifyRateLimit from '@fastify/rate-limit';
import express from 'express';
import { type Options, rateLimit } from 'express-rate-limit';
import Fastify from 'fastify';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { isLimited, LIMITED_PER_S, type StartLimiter } from './limiter.ts';
import { serveLimiter } from './serve-limiter.ts';

/** express-rate-limit with its own store and words; a window begins with the first call after the one before. */
export function expressRateLimit(
  windowS: number,
  headers: Pick<Options, 'standardHeaders' | 'legacyHeaders'>,
): StartLimiter {
  return serveLimiter((passOn) => {
    const app = express();
    const limit = LIMITED_PER_S * windowS;
    app.use(rateLimit({ windowMs: windowS * 1_000, limit, ...headers, skip: ({ url }) => !isLimited(url) }));
    app.use(passOn);
    return app;
  });
}

/** @fastify/rate-limit with its own store, and its older words or those of the draft. */
export function fastifyLimit(windowS: number, { enableDraftSpec }: { enableDraftSpec: boolean }): StartLimiter {
  return serveLimiter(async (passOn) => {
    const app = Fastify();
    await app.register(fastifyRateLimit, {
      max: LIMITED_PER_S * windowS,
      timeWindow: windowS * 1_000,
      enableDraftSpec,
      allowList: ({ url }) => !isLimited(url),
    });
    // A body is passed on unread.
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
export function flexibleLimit({ saysAlways }: { saysAlways: boolean }): StartLimiter {
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
