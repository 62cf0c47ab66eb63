import type { FastifyReply, FastifyRequest } from 'fastify';
import { addressGroup, addressGroups } from '../../people/sign-in/address-group.ts';
import type { ConsoleApp } from '../console-app.ts';
import { sayPlainly } from '../server/guard.ts';
import type { Devices } from './device-cookie.ts';
import { makeTries } from './tries.ts';

/** What is posted to them asks Redis, and may hash a password. */
const HELD = /^\/sign-in(?:\/(?:code|factor|password))?$/;

/** Somebody signed in. */
export type Know = (came: { request: FastifyRequest; reply: FastifyReply }, person: string) => void;

/**
 * Keeps tries to sign in that come in great number from costing more than a look at a table of this process: before the cookies
 * and the body are read, Redis is asked, or a page is made. Who guesses slowly meets the limits in Redis (src/people).
 *
 * @param devices whose cookie makes a browser no stranger, wherever it is
 * @returns what a right try is told to, whose network and browser are no stranger's from then on
 */
export function holdTries(app: ConsoleApp, devices: Devices | undefined): Know {
  const tries = makeTries();
  app.addHook('onRequest', async (request: FastifyRequest, reply: FastifyReply) => {
    if (request.method !== 'POST' || !HELD.test(request.routeOptions.url ?? '')) return;
    const device = devices?.known(request);
    const groups = device === undefined ? addressGroups(request.ip) : [`device ${device}`];
    const afterS = tries.take(groups, performance.now(), device !== undefined);
    if (afterS === 0) return;
    reply.header('retry-after', String(afterS));
    return sayPlainly(reply, 429, tooMany(afterS));
  });
  return ({ request, reply }, person) => {
    tries.know(addressGroup(request.ip));
    devices?.give(reply, person);
  };
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
