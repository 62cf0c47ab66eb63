import type { FastifyRequest } from 'fastify';
import type { Coming } from './people-functions.ts';

/** What is kept of what a browser calls itself: enough for a person to know it by. */
const LONGEST_AGENT = 200;

/** From where a request comes. */
export function comingOf({ ip, headers }: Pick<FastifyRequest, 'ip' | 'headers'>): Coming {
  return { from: ip, agent: (headers['user-agent'] ?? '').slice(0, LONGEST_AGENT) };
}
