import type { FastifyRequest } from 'fastify';
import { addressGroup } from '../../people/sign-in/address-group.ts';
import { ConsoleError } from '../server/console-error.ts';
import { tooMany } from './hold-tries.ts';

/** More than the people of one office begin on a Monday morning, all behind one address. */
const BEGUN_PER_MINUTE = 60;

/**
 * Bounds how often a sign-in at an identity provider is begun from one network: each is a record in Redis.
 *
 * @returns the route's `config.rateLimit`
 */
export function slowDown() {
  return {
    max: BEGUN_PER_MINUTE,
    timeWindow: '1 minute',
    groupId: 'sign-in',
    keyGenerator: ({ ip }: FastifyRequest) => addressGroup(ip),
    errorResponseBuilder: (_request: FastifyRequest, { ttl }: { ttl: number }) =>
      new ConsoleError(429, tooMany(Math.ceil(ttl / 1_000))),
  };
}
