import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Audit } from '../../audit/audit.ts';
import { type Anew, browserName, type Oidc, type OidcAnswer, UNDER_WAY_S } from '../../people/oidc/oidc.ts';
import type { Person } from '../../people/person.ts';
import { addressGroup } from '../../people/sign-in/address-group.ts';
import { type ConsoleApp, ConsoleError } from '../console-app.ts';
import { type Html, html, t } from '../html/html.ts';
import { linkButton } from '../parts/form.ts';
import { isAway } from '../server/error-pages.ts';
import { addSignIn, addSignInSteps, type SignInGiven } from './add-sign-in.ts';
import { type Know, nextAddress, type SessionGate, tooMany } from './make-gate.ts';
import type { GateFunctions, SignInClient, SignInFunctions } from './people-functions.ts';
import {
  clientOf,
  type Devices,
  giveToken,
  sessionTokenOf,
  signInAddress,
  takeToken,
  wayBack,
} from './session-cookie.ts';
import { narrowPage } from './sign-in-view.ts';

/** The address that starts a sign-in at the identity provider. */
export const OIDC_ADDRESS = '/sign-in/oidc';

/** The path of the redirect address. The console's own address followed by this path must be registered at the identity provider. */
export const CALLBACK = `${OIDC_ADDRESS}/callback`;

/** The path of the page after sign-out, which says that the person may still be signed in at the identity provider. */
const OUT = `${OIDC_ADDRESS}/out`;

/** The time limit of a request: it allows three requests to the provider (discovery, token, keys) of four seconds each (provider.ts). */
const LIMIT_MS = 15_000;

/** The most characters of an approval's id in an address: longer than any such id. */
const LONGEST_ID = 100;

/** The most sign-ins started in a second, from all networks together: each takes some 300 bytes of Redis for ten minutes. */
const MOST_BEGUN_PER_S = 50;

type OidcFunctions = {
  oidc: Oidc;
  /** Starts a session of this person, with the roles that the provider has given, and answers the value of its cookie. */
  beginSession: (person: Person, client: SignInClient) => Promise<string>;
  /** Records that the person signed in again, as proof for an approval. */
  keepProof: (anew: Anew) => Promise<void>;
};

/**
 * Adds the sign-in at an identity provider. `/sign-in/oidc` leads to the provider, and the browser returns to
 * `/sign-in/oidc/callback`. A cookie ties both requests to one browser, against login CSRF and mix-up attacks.
 */
function addOidcSignIn(app: ConsoleApp, given: SignInGiven & OidcFunctions): void {
  const { oidc, beginSession, keepProof, functions, audit, cookie, gate } = given;
  const name = `${cookie}-sso`;
  const mayBegin = makeSecondLimit(MOST_BEGUN_PER_S);
  const sayTrouble = (reply: FastifyReply, trouble: OidcTrouble, to: string) => {
    const body = oidcTroubleView({ trouble, name: oidc.name, groups: oidc.groups, to });
    return reply.code(STATUS_OF[trouble]).page({ title: t`Not signed in`, at: 'people', body });
  };
  const route = { exposeHeadRoute: false, handlerTimeout: LIMIT_MS, config: { rateLimit: slowDown() } };

  app.get(OIDC_ADDRESS, { ...route, onRequest: gate.readSession }, async (request, reply) => {
    const query = request.query as { to?: unknown; approval?: unknown };
    const to = wayBack(query.to);
    const { signedIn } = request;
    const isAnew = signedIn?.owes === undefined && typeof query.approval === 'string';
    if (signedIn && !isAnew) return reply.redirect(nextAddress(signedIn.owes, to), 303);
    const anew = signedIn && {
      approval: String(query.approval).slice(0, LONGEST_ID),
      by: signedIn.person.by,
      session: signedIn.session,
      beganS: Math.floor(Date.now() / 1_000),
    };
    if (!mayBegin()) return sayTrouble(reply, 'too many', to);
    const browser = browserName(request.cookies[name]);
    const redirect = `${request.origin}${CALLBACK}`;
    const url = await oidc.begin({ browser, redirect, to, anew }).catch((error) => {
      // A failure of Redis gets the error page about Redis. Any other error at this place comes from the provider.
      if (isAway(error)) throw error;
      return undefined;
    });
    if (!url) return sayTrouble(reply, 'away', to);
    reply.setCookie(name, browser, { path: '/', secure: true, httpOnly: true, sameSite: 'lax', maxAge: UNDER_WAY_S });
    return reply.header('cache-control', 'no-store').redirect(url.href, 303);
  });

  app.get(CALLBACK, { ...route, onRequest: gate.readSession }, async (request, reply) => {
    const client = clientOf(request);
    const answer = await oidc.finish({ browser: request.cookies[name], url: new URL(request.url, request.origin) });
    if (answer.is === 'anew' && request.signedIn?.session === answer.for.session) {
      await keepProof(answer.for);
      await audit.note({ by: answer.for.by, what: 'signed in anew', from: client.from, facts: { by: oidc.name } });
      return leadOn(reply, wayBack(answer.to));
    }
    if (answer.is !== 'in') {
      const { by, trouble } = refusedAs(answer);
      await audit.refusal({ by, what: 'sign-in refused', from: client.from, facts: { by: oidc.name, why: trouble } });
      return sayTrouble(reply, trouble, answer.is === 'unknown' ? '/' : wayBack(answer.to));
    }
    const { person, strength } = answer;
    const token = await beginSession(person, client);
    await audit.note({
      by: person.by,
      what: 'session begun',
      from: client.from,
      facts: { by: oidc.name, roles: person.roles, ...strength },
    });
    await endBefore(request);
    giveToken(reply, cookie, token);
    return leadOn(reply, wayBack(answer.to));
  });

  app.get(OUT, async (_request, reply) =>
    reply.page({ title: t`Signed out`, at: 'people', body: oidcOutView({ name: oidc.name, end: oidc.endAddress() }) }),
  );

  async function endBefore(request: FastifyRequest): Promise<void> {
    const before = sessionTokenOf(request, cookie);
    if (before !== undefined) await functions.end(before);
  }
}

/**
 * The address after a sign-out. People of an identity provider, whom their names show (people-elsewhere.ts), get the page about
 * the provider.
 */
function addressAfterSignOut(by: string): string {
  return /\(sso [0-9a-f]{6,64}\)$/.test(by) ? OUT : '/sign-in';
}

function refusedAs(answer: Exclude<OidcAnswer, { is: 'in' }>): { by: string; trouble: OidcTrouble } {
  if (answer.is === 'no role' || answer.is === 'not anew') return { by: answer.by, trouble: answer.is };
  if (answer.is === 'anew') return { by: answer.for.by, trouble: 'not anew' };
  return { by: 'unknown', trouble: answer.is === 'no' ? answer.why : 'unknown' };
}

/**
 * Leads the browser from the provider to a page of the console, by a refresh and not by a redirect. Browsers would count a redirect
 * as the provider's request: they would omit same-site cookies, and server/guard.ts would ask for a click.
 */
function leadOn(reply: FastifyReply, to: string): unknown {
  // This page's address holds a code that was used up. With `no-referrer`, the next page does not learn that address.
  reply.header('refresh', `0; url=${to}`).header('referrer-policy', 'no-referrer');
  return reply.page({ title: t`Signed in`, at: 'people', body: oidcDoneView({ to }) });
}

function makeSecondLimit(most: number): () => boolean {
  let [second, count] = [0, 0];
  return () => {
    const now = Math.floor(performance.now() / 1_000);
    count = now === second ? count + 1 : 1;
    second = now;
    return count <= most;
  };
}

/** The most sign-ins that one network may start in a minute: more than an office behind one address needs on a Monday morning. */
const BEGUN_PER_MINUTE = 60;

/**
 * Limits how many sign-ins one network starts at an identity provider, since each is a record in Redis.
 *
 * @returns the route's `config.rateLimit`
 */
function slowDown() {
  return {
    max: BEGUN_PER_MINUTE,
    timeWindow: '1 minute',
    groupId: 'sign-in',
    keyGenerator: ({ ip }: FastifyRequest) => addressGroup(ip),
    errorResponseBuilder: (_request: FastifyRequest, { ttl }: { ttl: number }) =>
      new ConsoleError(429, tooMany(Math.ceil(ttl / 1_000))),
  };
}

/** Why a sign-in at the identity provider failed, without details. */
type OidcTrouble = 'denied' | 'away' | 'not believed' | 'unknown' | 'no role' | 'too many' | 'not anew';

const STATUS_OF: Readonly<Record<OidcTrouble, number>> = {
  denied: 403,
  away: 503,
  'not believed': 403,
  unknown: 403,
  'no role': 403,
  'too many': 429,
  'not anew': 403,
};

/** The page of a failed sign-in. @param given.name the provider's name, @param given.groups the groups that have roles here */
function oidcTroubleView(given: { trouble: OidcTrouble; name: string; groups: readonly string[]; to: string }): Html {
  const { trouble, to } = given;
  return narrowPage({
    title: trouble === 'not anew' ? t`You did not sign in anew` : t`You are not signed in`,
    trouble: wordsFor(given),
    body: html`${trouble === 'no role' && html`<p>Groups that count here:</p><ul>${given.groups.map((group) => html`<li><bdi>${group}</bdi></li>`)}</ul>`}
      <div class="actions">${linkButton({ href: signInAddress(to, OIDC_ADDRESS), words: t`Try again`, kind: 'primary' })} ${linkButton({ href: signInAddress(to), words: t`Sign in with a password` })}</div>`,
  });
}

function wordsFor({ trouble, name }: { trouble: OidcTrouble; name: string }): string {
  switch (trouble) {
    case 'denied':
      return t`${name} did not sign you in, or you broke it off there.`;
    case 'away':
      return t`${name} does not answer just now, so nobody can sign in there. Try again in a minute; who has a password here can use that.`;
    case 'not believed':
      return t`The answer of ${name} was not one that this console believes. Try again; if it stays so, tell an administrator: the console's log says more.`;
    case 'unknown':
      return t`This sign-in was not begun in this browser, took longer than ten minutes, or was used before. Begin again.`;
    case 'no role':
      return t`You signed in at ${name}, but none of your groups there may use this console. Ask the person who manages these groups.`;
    case 'not anew':
      return t`${name} did not ask you to sign in again, or does not say when it did, or its clock and ours are half a minute or more apart, or another person signed in there, or none of your groups there approves any more. Nothing was approved.`;
    case 'too many':
      return t`Very many people sign in at this moment. Try again in a few seconds.`;
  }
}

/**
 * The page after a sign-in at the provider, which opens the next page by itself, so that the request for it counts as the console's own.
 */
function oidcDoneView({ to }: { to: string }): Html {
  return narrowPage({
    title: t`You are signed in`,
    body: html`<div class="actions">${linkButton({ href: to, words: t`Go on`, kind: 'primary' })}</div>`,
  });
}

/** The page after sign-out: the person may still be signed in at the provider, so the next user of this browser could come back as them. */
function oidcOutView({ name, end }: { name: string; end: string | undefined }): Html {
  return narrowPage({
    title: t`You are signed out`,
    lead: html`Of this console, that is: you may still be signed in at ${name}, and whoever uses this browser next could come back from there as you.`,
    body: html`<div class="actions">${end !== undefined && html`${linkButton({ href: end, words: t`Sign out at ${name} too`, kind: 'primary' })} `}${linkButton({ href: '/sign-in', words: t`Sign in again` })}</div>`,
  });
}

/** How people sign in to a console; made in scripts/console/people/sign-in.ts. */
export type SignInOptions = {
  gate: GateFunctions;
  functions: SignInFunctions;
  audit: Audit;
  /** The key of form tokens, the same on all hosts of the installation. */
  formKey: Buffer;
  /** Sign-in at an identity provider, where one is set. */
  oidc?: OidcFunctions | undefined;
};

/** Adds the pages of sign-in, its steps, and sign-out. */
export function addSignInPages(
  app: ConsoleApp,
  given: Omit<SignInOptions, 'gate'> & { gate: SessionGate; know: Know; devices: Devices },
): void {
  const { functions, audit, gate, know, devices } = given;
  const steps = { functions, audit, cookie: gate.cookie, gate, know, devices };
  addSignIn(app, { ...steps, isNeeded: gate.isNeeded });
  addSignInSteps(app, steps);
  if (given.oidc) addOidcSignIn(app, { ...steps, ...given.oidc });
  addSignOut(app, steps);
}

/**
 * `POST /sign-out`: ends the session in Redis, and clears the browser's cache, whose pages "back" would show. The header does not
 * name `"cookies"`, which would also delete cookies of other programs under this host (Clear Site Data, section 3.1).
 */
function addSignOut(app: ConsoleApp, { functions, audit, cookie, gate }: SignInGiven): void {
  app.post(
    '/sign-out',
    {
      onRequest: async (request, reply) => {
        await gate.readSession(request);
        // Without a session there is nothing to end, and no form token to check: the person is led to the sign-in.
        if (!request.signedIn) return reply.redirect('/sign-in', 303);
      },
      preHandler: app.csrfProtection,
    },
    async ({ signedIn, ip }, reply) => {
      if (signedIn) {
        await functions.end(signedIn.token);
        await audit.note({ by: signedIn.person.by, what: 'session ended', from: ip, facts: { by: 'sign-out' } });
      }
      takeToken(reply, cookie);
      const next = signedIn ? addressAfterSignOut(signedIn.person.by) : '/sign-in';
      return reply.header('clear-site-data', '"cache"').redirect(next, 303);
    },
  );
}
