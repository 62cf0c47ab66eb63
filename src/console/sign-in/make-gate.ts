import type { FastifyReply, FastifyRequest } from 'fastify';
import { ANYBODY, type Person } from '../../people/person.ts';
import type { MayWatch } from '../events/hub.ts';
import { html } from '../html/html.ts';
import { wantsFragment } from '../layout/wants-fragment.ts';
import { linkButton } from '../parts/button.ts';
import { notice } from '../parts/notice.ts';
import type { GateFunctions, Owed, SignedIn } from './people-functions.ts';
import { readToken } from './session-cookie.ts';
import { signInAddress } from './way-back.ts';

/** The pages on which what is owed is done. */
const PAGE_OF: Readonly<Record<Owed, string>> = {
  code: '/sign-in/code',
  factor: '/sign-in/factor',
  password: '/sign-in/password',
};

export type Gate = ReturnType<typeof makeGate>;

/** Finds out who asks, by the session's cookie. */
export function makeGate(given: GateFunctions) {
  const { cookie, read, isNeeded } = given;
  /** Reads the session that a request came with into `request.signedIn`, in one round trip; none where it brings no token. */
  const readSession = async (request: FastifyRequest): Promise<void> => {
    const token = readToken(request, cookie);
    if (token === undefined) return;
    const found = await read(token, { counts: !isByItself(request) });
    if (found) request.signedIn = { ...found, token, cookie };
  };
  return {
    ...given,
    readSession,
    /**
     * Who asks. Whoever has no session, or still owes something, is led to where it is done, from every address, those that
     * do not exist among them; then the request is `answered`. Where nobody needs to be known, whoever comes is ANYBODY.
     */
    async identify(request: FastifyRequest, reply: FastifyReply): Promise<Person | 'answered'> {
      await readSession(request);
      const { signedIn } = request;
      if (signedIn && signedIn.owes === undefined) return signedIn.person;
      if (!signedIn && !(await isNeeded())) return ANYBODY;
      lead(request, reply, signedIn?.owes ? PAGE_OF[signedIn.owes] : '/sign-in');
      return 'answered';
    },
  };
}

/** Who may go on watching: whose session lives; without one, as long as nobody needs to be known. */
export function makeMayWatch({ living, isNeeded }: Pick<GateFunctions, 'living' | 'isNeeded'>): MayWatch {
  return async (sessions) => {
    const tokens = sessions.filter((session) => session !== undefined);
    const [answers, needed] = await Promise.all([tokens.length > 0 ? living(tokens) : [], isNeeded()]);
    const lives = new Map(tokens.map((token, place) => [token, answers[place] === true]));
    return sessions.map((session) => (session === undefined ? !needed : lives.get(session) === true));
  };
}

/** The address of what somebody has to do next: what is owed, or where they wanted to go. */
export function nextAddress(owes: Owed | undefined, back: string): string {
  return owes === undefined ? back : signInAddress(back, PAGE_OF[owes]);
}

/** Whether the browser's module asks and no person: such requests keep no session from idling. */
function isByItself({ routeOptions, headers }: FastifyRequest): boolean {
  return routeOptions.config.byItself === true || headers['x-by-itself'] !== undefined;
}

/** Pages lead to the sign-in; pieces of pages, events and whatever changes something are refused, and nothing was done. */
function lead(request: FastifyRequest, reply: FastifyReply, page: string): FastifyReply {
  const { method, headers, raw } = request;
  const reads = method === 'GET' || method === 'HEAD';
  if (reads && !wantsFragment(request) && !isByItself(request)) {
    return reply.header('cache-control', 'no-store').redirect(signInAddress(raw.url, page), 303);
  }
  // RFC 9110, section 15.5.2, wants a challenge; no browser knows this one, so none asks with a window of its own.
  reply.code(401).header('www-authenticate', 'Session realm="limitline"');
  if (wantsFragment(request)) return reply.fragment(notice('bad', SIGNED_OUT, { title: 'Signed out.', urgent: true }));
  if (isByItself(request)) return reply.header('cache-control', 'no-store').send({ error: SIGNED_OUT });
  const from = URL.parse(headers.referer ?? '');
  const back = from?.host === headers.host ? `${from?.pathname}${from?.search}` : '/';
  return reply.pageNow({
    title: 'Signed out',
    body: html`<div class="trouble">
      <p class="trouble-status">401</p>
      <h1>Signed out</h1>
      <p>${SIGNED_OUT}</p>
      <p>${linkButton({ href: signInAddress(back, page), words: 'Sign in', kind: 'primary' })}</p>
    </div>`,
  });
}

const SIGNED_OUT = 'You are not signed in any more. Nothing was done; sign in, and do it again.';

declare module 'fastify' {
  interface FastifyRequest {
    /** The session that the request came with, if it is one, with the name of its cookie and the value. */
    signedIn: (SignedIn & { token: string; cookie: string }) | undefined;
  }
  interface FastifyContextConfig {
    /** Asked for by pages by themselves, again and again, and by no person. */
    byItself?: boolean;
  }
}
