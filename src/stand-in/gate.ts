import type { FastifyReply, FastifyRequest } from 'fastify';
import { errorAnswer, type StandInAnswer } from './answers.ts';
import type { Faults } from './faults.ts';
import { makeBucket, rateLimitHeaders } from './rate-limit.ts';
import type { Tokens } from './tokens.ts';

export type RequestGate = ReturnType<typeof makeRequestGate>;

/** The checks before a request's body is read: outage, credentials, rate limit, headers. */
export function makeRequestGate({ faults, tokens }: { faults: Faults; tokens: Tokens }) {
  const bucket = makeBucket();

  /** Counts the request, and sets the rate limit headers on its answer. */
  const refusedByRate = (reply: FastifyReply): boolean => {
    const { rateLimit } = faults.settings();
    if (!rateLimit) return false;
    const passage = bucket.pass(rateLimit, performance.now());
    reply.headers(rateLimitHeaders(rateLimit, passage, Date.now()));
    return !passage.allowed;
  };

  const outage = (): StandInAnswer | undefined =>
    faults.settings().outage ? errorAnswer(503, 'unavailable', 'out of service on demand') : undefined;

  return {
    /** The token call must have no bearer header (docs/service.md, "Calls"). */
    token({ headers }: FastifyRequest): StandInAnswer | undefined {
      return (
        outage() ??
        (headers.authorization ? errorAnswer(400, 'invalid_request', 'a bearer header is not allowed here') : undefined)
      );
    },

    /** @returns a refusal, or `undefined` if the request may continue */
    resource({ headers }: FastifyRequest, reply: FastifyReply): StandInAnswer | undefined {
      const down = outage();
      if (down) return down;
      if (!tokens.admit(headers.authorization)) return errorAnswer(401, 'unauthorized', 'no valid token');
      if (refusedByRate(reply)) return errorAnswer(429, 'rate_limited', 'too many requests');
      if (!headers.accept?.includes('application/json')) {
        return errorAnswer(406, 'not_acceptable', 'accept: application/json is needed');
      }
      return undefined;
    },
  };
}
