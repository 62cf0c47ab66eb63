import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { isOfSystem } from '../../../actor.ts';
import type { SessionView, UserView } from '../../../people/people.ts';
import { SIGNED_IN } from '../../access/access.ts';
import type { Action } from '../../actions/action-words.ts';
import { t } from '../../html/html.ts';
import { NOT_ALIKE } from '../../sign-in/add-sign-in.ts';
import type { ChangeAnswer, NewFactor, SignInClient } from '../../sign-in/people-functions.ts';
import { clientOf, keepToken } from '../../sign-in/session-cookie.ts';
import { factorForm, narrowPage, recoveryCodes } from '../../sign-in/sign-in-view.ts';
import { type Posted, page, text } from '../page.ts';
import { type MeSaid, meView } from './me-view.ts';

/** An action of a signed-in person, with their name and session token. */
type Own = Posted<MePageFunctions> & { by: string; token: string };

/**
 * `/me`: the person's own account. Changes of password, second factor or recovery codes need the password and a code again
 * (ASVS 7.5.1). So does ending other sessions (7.5.2).
 */
export const ownAccountPage = page<MePageFunctions>({ at: 'people', ours: 'all' }, ({ get, post }) => [
  get('/me', {
    may: SIGNED_IN,
    query: z.object({ done: text }),
    show: ({ request, reply, given, query: { done } }) =>
      show({ request, reply, given }, Object.hasOwn(SAID, done) ? SAID[done] : undefined),
  }),
  ...Object.entries(OWN_ACTIONS).map(([path, [action, handle]]) =>
    post(path, {
      may: SIGNED_IN,
      action,
      handle: (acting) => {
        const signedIn = accountOf(acting.request);
        if (!signedIn) return acting.reply.redirect('/', 303);
        return handle({ ...acting, by: signedIn.person.by, token: signedIn.token });
      },
    }),
  ),
]);

async function show(
  { request, reply, given }: { request: FastifyRequest; reply: FastifyReply; given: MePageFunctions },
  said?: MeSaid,
) {
  const { person } = request;
  const signedIn = accountOf(request);
  // A person who came by the console's link has no account.
  if (!signedIn) return reply.redirect('/', 303);
  const [user, sessions] = await Promise.all([given.read(person.by), given.sessions(person.by, signedIn.token)]);
  return { title: t`My account`, body: meView({ csrf: reply.csrf(), person, user, sessions, said }) };
}

function refuse(own: Own, words: string) {
  own.tell({ refused: true });
  own.reply.code(422);
  return show(own, { kind: 'bad', words });
}

const OWN_ACTIONS: Readonly<Record<string, [action: Action, handle: (own: Own) => unknown]>> = {
  '/me/password': [
    'own password',
    async (own) => {
      const { password = '', again } = own.fields;
      if (password !== again) return refuse(own, NOT_ALIKE);
      const answer = await own.given.setPassword({ ...proofOf(own), password });
      if (answer.is === 'no') return refuse(own, answer.words);
      keepToken(own, answer.token);
      return own.reply.redirect('/me?done=password', 303);
    },
  ],

  '/me/factor': [
    'begin factor',
    async (own) => {
      const { reply } = own;
      const answer = await own.given.beginFactor(proofOf(own));
      if (answer.is === 'no') return refuse(own, answer.words);
      const body = narrowPage({
        title: t`Set up a second factor`,
        body: factorForm({ csrf: reply.csrf(), action: '/me/factor/confirm', to: '/me', factor: answer.made }),
      });
      return { title: t`Second factor`, body };
    },
  ],

  '/me/factor/confirm': [
    'own factor',
    async (own) => {
      const { request, by, token, fields } = own;
      const answer = await own.given.confirmFactor({ name: by, token, code: fields.code ?? '', ...clientOf(request) });
      // The secret is not shown again: a stolen session without the password would otherwise reveal it.
      if (answer.is === 'no') return refuse(own, t`${answer.words} Begin again with your password.`);
      keepToken(own, answer.token);
      return showCodes(answer.made);
    },
  ],

  '/me/codes': [
    'own codes',
    async (own) => {
      const answer = await own.given.makeCodes(proofOf(own));
      return answer.is === 'no' ? refuse(own, answer.words) : showCodes(answer.made);
    },
  ],

  '/me/sessions/end': [
    'end session',
    async (own) => {
      const answer = await own.given.endSessions(proofOf(own), 'all others');
      if (answer.is === 'no') return refuse(own, answer.words);
      return own.reply.redirect('/me?done=others', 303);
    },
  ],

  '/me/sessions/:id/end': [
    'end session',
    async (own) => {
      const answer = await own.given.endSessions(proofOf(own), { one: own.params.id ?? '' });
      if (answer.is === 'no') return refuse(own, answer.words);
      return own.reply.redirect('/me?done=session', 303);
    },
  ],
};

function proofOf({ request, by, token, fields }: Own): Proof {
  return { name: by, token, old: fields.old ?? '', code: fields.code ?? '', ...clientOf(request) };
}

const SAID: Readonly<Record<string, MeSaid>> = {
  password: { kind: 'good', words: t`The password is changed, and you are signed out everywhere else.` },
  others: { kind: 'good', words: t`You are signed out everywhere else.` },
  session: { kind: 'good', words: t`The session ended.` },
};

function showCodes(codes: readonly string[]) {
  const body = narrowPage({
    title: t`Recovery codes`,
    body: recoveryCodes({ codes, next: '/me', words: t`I have kept them` }),
  });
  return { title: t`Recovery codes`, body };
}

/** The session of a person with an account; a person who came by the console's link has no account. */
function accountOf({ signedIn }: FastifyRequest): FastifyRequest['signedIn'] {
  return signedIn && !isOfSystem(signedIn.person.by) ? signedIn : undefined;
}

/** The proof of a person who changes their own account: name, session, current password, and a code where they have a second factor. */
export type Proof = { name: string; token: string; old: string; code: string } & SignInClient;

/** The result of an action, or a message why it was refused. */
type Done<T = unknown> = { is: 'done'; made: T } | { is: 'no'; words: string };

/** The functions that the page of one's own account gets, made in scripts/console/people/own-account.ts. */
export type MePageFunctions = {
  /** Undefined for a person of an identity provider, whose account is kept there. */
  read: (name: string) => Promise<UserView | undefined>;
  sessions: (by: string, token: string) => Promise<SessionView[]>;
  setPassword: (proof: Proof & { password: string }) => Promise<ChangeAnswer>;
  /** Starts to replace the second factor; the old one is valid until the new one is confirmed. */
  beginFactor: (proof: Proof) => Promise<Done<NewFactor>>;
  confirmFactor: (
    given: { name: string; token: string; code: string } & SignInClient,
  ) => Promise<ChangeAnswer<readonly string[]>>;
  makeCodes: (proof: Proof) => Promise<Done<readonly string[]>>;
  /** Ends one other session, or all others. People of an identity provider need no password for it. */
  endSessions: (proof: Proof, which: { one: string } | 'all others') => Promise<Done>;
};
