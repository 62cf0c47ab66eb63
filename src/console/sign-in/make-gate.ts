import type { FastifyReply, FastifyRequest } from 'fastify';
import { isOfSystem } from '../../actor.ts';
import type { Person } from '../../people/person.ts';
import { addressGroup, addressGroups } from '../../people/sign-in/address-group.ts';
import type { ConsoleApp } from '../console-app.ts';
import type { MayWatch } from '../events/hub.ts';
import { countWords, html, t } from '../html/html.ts';
import { wantsFragment } from '../layout/layout.ts';
import { notice } from '../parts/blocks.ts';
import { linkButton } from '../parts/form.ts';
import { commandLine } from '../parts/text.ts';
import { isLedByOthers, sayPlainly } from '../server/guard.ts';
import type { GateFunctions, KnownSession, Owed } from './people-functions.ts';
import { clientOf, type Devices, giveOpened, sessionTokenOf, signInAddress } from './session-cookie.ts';

/** The address of the page for each step of the sign-in that a person may still have to do. */
const PAGE_OF: Readonly<Record<Owed, string>> = {
  code: '/sign-in/code',
  factor: '/sign-in/factor',
  password: '/sign-in/password',
};

export type SessionGate = ReturnType<typeof makeSessionGate>;

/** Makes the gate, which finds out by the session's cookie who asks. */
export function makeSessionGate(given: GateFunctions) {
  const { cookie, read, isNeeded, opening } = given;
  const readFrom = async (request: FastifyRequest, name: string): Promise<void> => {
    const token = sessionTokenOf(request, name);
    if (token === undefined) return;
    const found = await read(token, { counts: !isByItself(request) });
    if (!found) return;
    // The cookie of a sign-in and that of the console's link may each hold only their own kind of session. Other programs on this
    // machine can set cookies under this host.
    const isOpened = isOfSystem(found.person.by);
    if (isOpened !== (name === opening.cookie) || (isOpened && (await isNeeded()))) return;
    request.signedIn = { ...found, token, cookie: name };
  };
  /**
   * Reads the request's session into `request.signedIn`, by the cookie of the sign-in, or else by that of the console's link. It
   * stays undefined where neither names a valid session.
   */
  const readSession = async (request: FastifyRequest): Promise<void> => {
    request.signedIn = undefined;
    await readFrom(request, cookie);
    if (!request.signedIn) await readFrom(request, opening.cookie);
  };
  /**
   * Starts a session by the console's link, and leads to the first page. A browser that has a session is only led there. False for
   * an invalid or used link in any other browser.
   */
  const openBy = async (link: string, request: FastifyRequest, reply: FastifyReply): Promise<boolean> => {
    const token = request.signedIn ? undefined : await opening.open(link, clientOf(request));
    if (token !== undefined) giveOpened(reply, opening.cookie, token);
    else if (!request.signedIn) return false;
    reply.redirect('/', 303);
    return true;
  };
  return {
    ...given,
    readSession,
    /**
     * The person of a request. A person without a session is led to the sign-in from every address, unknown ones too, and a person with a
     * step left is led to the page of that step; the request is then `answered`. Without users, the console's link starts a session.
     */
    async identify(request: FastifyRequest, reply: FastifyReply): Promise<Person | 'answered'> {
      await readSession(request);
      const { signedIn } = request;
      const isOpen = signedIn === undefined && !(await isNeeded());
      const link = linkOf(request);
      if (link !== undefined && (isOpen || signedIn?.cookie === opening.cookie)) {
        if (await openBy(link, request, reply)) return 'answered';
      }
      if (signedIn && signedIn.owes === undefined) return signedIn.person;
      lead(request, reply, isOpen ? undefined : signedIn?.owes ? PAGE_OF[signedIn.owes] : '/sign-in');
      return 'answered';
    },
  };
}

/** Makes the function that says which sessions are alive and may keep receiving events. */
export function makeMayWatch({ living }: Pick<GateFunctions, 'living'>): MayWatch {
  return async (sessions) => {
    const tokens = sessions.filter((session) => session !== undefined);
    const answers = tokens.length > 0 ? await living(tokens) : [];
    const lives = new Set(tokens.filter((_token, place) => answers[place] === true));
    return sessions.map((session) => session !== undefined && lives.has(session));
  };
}

/** The token of the console's link. A HEAD request does not use the link up. */
function linkOf({ method, routeOptions, query }: FastifyRequest): string | undefined {
  const { token } = query as { token?: unknown };
  return method === 'GET' && routeOptions.url === '/' && typeof token === 'string' ? token : undefined;
}

/** The address of the step of the sign-in that a person still has to do (`owes`), or `back` where none is left. */
export function nextAddress(owes: Owed | undefined, back: string): string {
  return owes === undefined ? back : signInAddress(back, PAGE_OF[owes]);
}

/** Whether the page's script asks and no person: such requests do not extend a session. */
function isByItself({ routeOptions, headers }: FastifyRequest): boolean {
  return routeOptions.config.byItself === true || headers['x-by-itself'] !== undefined;
}

/** Redirects a request for a page to the sign-in step `page`, if one is given. Refuses fragments, events and changes. */
function lead(request: FastifyRequest, reply: FastifyReply, page: string | undefined): FastifyReply {
  const { method, headers, raw } = request;
  const reads = method === 'GET' || method === 'HEAD';
  if (page !== undefined && reads && !wantsFragment(request) && !isByItself(request)) {
    return reply.header('cache-control', 'no-store').redirect(signInAddress(raw.url, page), 303);
  }
  // RFC 9110, section 15.5.2, requires a challenge; browsers know no scheme `Session` and so open no dialog.
  reply.code(401).header('www-authenticate', 'Session realm="limitline"');
  const [title, words] = page === undefined ? [t`Open it by its link`, BY_LINK] : [t`Signed out`, SIGNED_OUT];
  const from = URL.parse(headers.referer ?? '');
  const back = from?.host === headers.host ? `${from?.pathname}${from?.search}` : '/';
  if (wantsFragment(request)) {
    const way = page !== undefined && html` <a href="${signInAddress(back, page)}">Sign in</a>`;
    return reply.fragment(notice('bad', html`${words}${way}`, { title: `${title}.`, urgent: true }));
  }
  if (isByItself(request)) return reply.header('cache-control', 'no-store').send({ error: words });
  return reply.pageNow({
    title,
    body: html`<div class="trouble">
      <h1>${title}</h1>
      <p>${words}</p>
      ${page !== undefined && html`<p>${linkButton({ href: signInAddress(back, page), words: t`Sign in`, kind: 'primary' })}</p>`}
      ${page === undefined && html`<p>${commandLine('npx limitline console --link', t`For another link, run on this machine:`)}</p>`}
      ${page === undefined && isLedByOthers(headers) && html`<p>If you opened it in this browser before: ${linkButton({ href: raw.url ?? '/', words: t`Go on` })}</p>`}
      <p class="trouble-status">Status 401</p>
    </div>`,
  });
}

const SIGNED_OUT = t`You are not signed in any more. Nothing was done; sign in, and do it again.`;
const BY_LINK = t`This console has no users yet. It opens by the link that it printed when it was started: look at the terminal, or the log, of whoever started it. A link works once, and within 12 hours.`;

declare module 'fastify' {
  interface FastifyRequest {
    /** The request's session, if it has one, with its cookie's name and value. */
    signedIn: (KnownSession & { token: string; cookie: string }) | undefined;
  }
  interface FastifyContextConfig {
    /** Marks routes that a page's script requests repeatedly, not a person. */
    byItself?: boolean;
  }
}

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

const waitOf = (aheadMs: number, { atOnce, backMs }: Tries): number => Math.max(0, aheadMs - (atOnce - 1) * backMs);

function forgetSome(kept: Map<string, number> | Set<string>, most: number): void {
  if (kept.size <= most) return;
  const [first] = kept.keys();
  if (first !== undefined) kept.delete(first);
}
