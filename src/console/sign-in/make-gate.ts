import type { FastifyReply, FastifyRequest } from 'fastify';
import { isOfSystem } from '../../actor.ts';
import type { Person } from '../../people/person.ts';
import type { MayWatch } from '../events/hub.ts';
import { html, t } from '../html/html.ts';
import { wantsFragment } from '../layout/layout.ts';
import { notice } from '../parts/blocks.ts';
import { linkButton } from '../parts/form.ts';
import { commandLine } from '../parts/text.ts';
import { isLedByOthers } from '../server/guard.ts';
import type { GateFunctions, KnownSession, Owed } from './people-functions.ts';
import { comingOf, giveOpened, readToken, signInAddress } from './session-cookie.ts';

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
    const token = readToken(request, name);
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
    await readFrom(request, cookie);
    if (!request.signedIn) await readFrom(request, opening.cookie);
  };
  /**
   * Starts a session by the console's link, and leads to the first page. A browser that has a session is only led there. False for
   * an invalid or used link in any other browser.
   */
  const openBy = async (link: string, request: FastifyRequest, reply: FastifyReply): Promise<boolean> => {
    const token = request.signedIn ? undefined : await opening.open(link, comingOf(request));
    if (token !== undefined) giveOpened(reply, opening.cookie, token);
    else if (!request.signedIn) return false;
    reply.redirect('/', 303);
    return true;
  };
  return {
    ...given,
    readSession,
    /**
     * The person of a request. A person without a session is led to the sign-in from every address, unknown ones too, and a
     * person with a step left is led to the page of that step; the request is then `answered`. Without users, the console's link
     * starts a session.
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
