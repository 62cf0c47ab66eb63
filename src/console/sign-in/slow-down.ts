import type { FastifyReply, FastifyRequest } from 'fastify';
import { ConsoleError } from '../server/console-error.ts';

/** More tries a minute than the people of one office make on a Monday morning, all behind one address. */
const TRIES_PER_MINUTE = 60;

/**
 * Keeps what one network sends to the sign-in from costing anything: counted in this process, before the body is read, Redis
 * is asked or a password hashed. Who guesses slowly, or from many networks, meets the limits in Redis (src/people).
 *
 * @returns the route's `config.rateLimit`
 */
export function slowDown() {
  return {
    max: TRIES_PER_MINUTE,
    timeWindow: '1 minute',
    groupId: 'sign-in',
    keyGenerator: ({ ip }: FastifyRequest) => networkOf(ip),
    errorResponseBuilder: (_request: FastifyRequest, { ttl }: { ttl: number }) =>
      new ConsoleError(429, tooMany(Math.ceil(ttl / 1_000))),
  };
}

/** Says when to try again, on a page and in the header (RFC 9110, section 10.2.3). */
export function sayLater(reply: FastifyReply, afterS: number): string {
  reply.code(429).header('retry-after', String(afterS));
  return tooMany(afterS);
}

function tooMany(afterS: number): string {
  const wait = afterS < 90 ? `${afterS} ${afterS === 1 ? 'second' : 'seconds'}` : `${Math.ceil(afterS / 60)} minutes`;
  return `Too many tries. Try again in ${wait}.`;
}

/**
 * The network that an address belongs to: whoever has one IPv6 address has all of its /64 (RFC 6177), so that counting
 * addresses would count nothing.
 */
export function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
  if (!plain.includes(':')) return plain;
  const [head = '', tail] = plain.split('::');
  const groups = head === '' ? [] : head.split(':');
  const behind = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - behind.length);
  return [...groups, ...Array.from({ length: zeros }, () => '0'), ...behind]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}
