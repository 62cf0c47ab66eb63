import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ConsoleApp } from '../console-app.ts';
import { sayPlainly } from '../server/guard.ts';
import { makeTries } from './tries.ts';

/** What is posted to them asks Redis, and may hash a password. */
const HELD = /^\/sign-in(?:\/(?:code|factor|password))?$/;

/**
 * Keeps tries to sign in that come in great number from costing more than a look at a table of this process: before the cookies
 * and the body are read, Redis is asked, or a page is made. Who guesses slowly meets the limits in Redis (src/people).
 *
 * @returns what a right try is told to, whose network is no stranger's from then on
 */
export function holdTries(app: ConsoleApp): { know: (address: string) => void } {
  const tries = makeTries();
  app.addHook('onRequest', async (request: FastifyRequest, reply: FastifyReply) => {
    if (request.method !== 'POST' || !HELD.test(request.routeOptions.url ?? '')) return;
    const afterS = tries.take(networkOf(request.ip), performance.now());
    if (afterS === 0) return;
    reply.header('retry-after', String(afterS));
    return sayPlainly(reply, 429, tooMany(afterS));
  });
  return { know: (address) => tries.know(networkOf(address)) };
}

/** Says when to try again, on a page and in the header (RFC 9110, section 10.2.3). */
export function sayLater(reply: FastifyReply, afterS: number): string {
  reply.code(429).header('retry-after', String(afterS));
  return tooMany(afterS);
}

/** The words for whoever tried too often. */
export function tooMany(afterS: number): string {
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
