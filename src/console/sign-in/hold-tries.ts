import type { FastifyReply, FastifyRequest } from 'fastify';
import { addressGroup, addressGroups } from '../../people/sign-in/address-group.ts';
import type { ConsoleApp } from '../console-app.ts';
import { sayPlainly } from '../server/guard.ts';
import type { Devices } from './session-cookie.ts';

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

/** More than the people of one office try on a Monday morning, all behind one address; and one a second from then on. */
const OF_NETWORK = { atOnce: 60, backMs: 1_000 };

/** Of the wider groups of a stranger's address (address-group.ts), the narrower one first. */
const OF_WIDER = [
  { atOnce: 120, backMs: 500 },
  { atOnce: 240, backMs: 250 },
] as const;

/** Of all strangers together: a try that gets through costs about a millisecond of the processor, before anything is hashed. */
const OF_STRANGERS = { atOnce: 400, backMs: 10 };

/** Networks that are remembered; when there are more, those that were not heard of for longest are forgotten. */
const MOST = 20_000;

/**
 * Counts tries by network, by the wider networks that it is in, and those of all strangers together, as GCRA does: one moment for
 * each, up to which its tries are used up. A network from which somebody signed in is no stranger's: whoever fills the strangers' part
 * keeps nobody of it out.
 */
export function makeTries({
  ofNetwork = OF_NETWORK,
  ofWider = OF_WIDER as readonly Tries[],
  ofStrangers = OF_STRANGERS as Tries,
  most = MOST,
} = {}) {
  const usedUp = new Map<string, number>();
  const known = new Set<string>();

  return {
    /** Takes a try from a network, and the wider ones behind it, and answers 0; or after how many seconds there is one again. */
    take([network = '', ...wider]: readonly string[], nowMs: number, isKnown = known.has(network)): number {
      const counted: { name: string; tries: Tries }[] = [{ name: network, tries: ofNetwork }];
      if (!isKnown) {
        for (const [place, name] of wider.entries()) {
          const tries = ofWider[place];
          if (tries) counted.push({ name, tries });
        }
        counted.push({ name: STRANGERS, tries: ofStrangers });
      }
      const usedOf = (name: string) => Math.max(usedUp.get(name) ?? 0, nowMs);
      const waitMs = Math.max(...counted.map(({ name, tries }) => waitOf(usedOf(name) - nowMs, tries)));
      if (waitMs > 0) return Math.ceil(waitMs / 1_000);
      for (const { name, tries } of counted) {
        const used = usedOf(name) + tries.backMs;
        // Behind all others: what is heard of least stands in front.
        usedUp.delete(name);
        usedUp.set(name, used);
        forgetSome(usedUp, most);
      }
      return 0;
    },
    /** Somebody signed in from there. */
    know(network: string): void {
      known.delete(network);
      known.add(network);
      forgetSome(known, most);
    },
  };
}

/** So many tries in one go, of which one comes back after so long. */
type Tries = { atOnce: number; backMs: number };

/** Like no network's name. */
const STRANGERS = '';

function waitOf(aheadMs: number, { atOnce, backMs }: Tries): number {
  return Math.max(0, aheadMs - (atOnce - 1) * backMs);
}

function forgetSome(kept: Map<string, number> | Set<string>, most: number): void {
  if (kept.size <= most) return;
  const [first] = kept.keys();
  if (first !== undefined) kept.delete(first);
}
