import type { FastifyReply, FastifyRequest } from 'fastify';
import { addressGroup, addressGroups } from '../../people/sign-in/address-group.ts';
import type { ConsoleApp } from '../console-app.ts';
import { countWords, t } from '../html/html.ts';
import { sayPlainly } from '../server/guard.ts';
import type { Devices } from './session-cookie.ts';

/** The addresses of the sign-in whose attempts are limited: a POST to them asks Redis, and may hash a password. */
const HELD = /^\/sign-in(?:\/(?:code|factor|password))?$/;

/** Called when a person has signed in. */
export type Know = (came: { request: FastifyRequest; reply: FastifyReply }, person: string) => void;

/**
 * Limits floods of sign-in attempts at the cost of a table look-up in this process: before cookies and body are read, Redis is
 * asked, or a page is made. Slow guessing is limited in Redis (src/people).
 *
 * @param devices whose cookie makes a browser known, from any network
 * @returns called after a successful sign-in; its network and browser count as known from then on
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

/** Sets the status 429 and the header that says when to try again (RFC 9110, section 10.2.3), and answers the message for the page. */
export function sayLater(reply: FastifyReply, afterS: number): string {
  reply.code(429).header('retry-after', String(afterS));
  return tooMany(afterS);
}

export function tooMany(afterS: number): string {
  const wait = afterS < 90 ? `${countWords(afterS, 'second')}` : t`${Math.ceil(afterS / 60)} minutes`;
  return t`Too many tries. Try again in ${wait}.`;
}

/** The sign-in attempts of one network: more at once than an office behind one address needs on a Monday morning, then one a second. */
const OF_NETWORK = { atOnce: 60, backMs: 1_000 };

/** The sign-in attempts of the wider networks around an unknown address (address-group.ts), the narrower of them first. */
const OF_WIDER = [
  { atOnce: 120, backMs: 500 },
  { atOnce: 240, backMs: 250 },
] as const;

/** The sign-in attempts of all unknown networks together: each costs about a millisecond of CPU before any hashing. */
const OF_STRANGERS = { atOnce: 400, backMs: 10 };

/** The most networks that are remembered. Beyond this number, the network that was unused for longest is forgotten. */
const MOST = 20_000;

/**
 * Counts attempts by network, by the wider networks around it, and for all unknown networks together. As in GCRA, each counter
 * is the one moment up to which its attempts are used up. A network with a successful sign-in is known and is not counted with
 * the unknown ones, so that a flood does not keep it out.
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
    /** Takes an attempt from a network and its wider networks, and answers 0; or the seconds until one is free. */
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
        // The entry is moved to the end of the map, since the first entries are forgotten first.
        usedUp.delete(name);
        usedUp.set(name, used);
        forgetSome(usedUp, most);
      }
      return 0;
    },
    /** Marks a network as known after a successful sign-in. */
    know(network: string): void {
      known.delete(network);
      known.add(network);
      forgetSome(known, most);
    },
  };
}

/** A limit of attempts: at most `atOnce` in a burst, and each is given back after `backMs`. */
type Tries = { atOnce: number; backMs: number };

/** The counter of all unknown networks; no network has this name. */
const STRANGERS = '';

function waitOf(aheadMs: number, { atOnce, backMs }: Tries): number {
  return Math.max(0, aheadMs - (atOnce - 1) * backMs);
}

function forgetSome(kept: Map<string, number> | Set<string>, most: number): void {
  if (kept.size <= most) return;
  const [first] = kept.keys();
  if (first !== undefined) kept.delete(first);
}
