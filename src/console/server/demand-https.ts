import type { FastifyReply, FastifyRequest } from 'fastify';
import { isHomeOf } from './who-asks.ts';

/** RFC 6797; two years, and below our name too, as OWASP ASVS 5.0, item 3.4.1 has it (a year at least). */
const DEMAND = 'max-age=63072000; includeSubDomains';

/**
 * Tells browsers to come by https from now on, on every answer, refusals among them. Under our own name alone: for localhost the
 * header would shut out every other program there.
 */
export function makeHttpsDemand(home: URL | undefined) {
  return ({ headers }: Pick<FastifyRequest, 'headers'>, reply: FastifyReply): void => {
    if (home?.protocol === 'https:' && isHomeOf(home, headers.host ?? ''))
      reply.header('strict-transport-security', DEMAND);
  };
}
