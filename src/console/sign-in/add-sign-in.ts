import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Audit } from '../../audit/audit.ts';
import { isUserName } from '../../people/users/user.ts';
import { formFieldsOf } from '../actions/add-action.ts';
import type { ConsoleApp } from '../console-app.ts';
import { t } from '../html/html.ts';
import { type Know, nextAddress, type SessionGate, sayLater } from './make-gate.ts';
import type { Owed, PasswordAnswer, SignInClient, SignInFunctions } from './people-functions.ts';
import { clientOf, type Devices, giveToken, keepToken, sessionTokenOf, wayBack } from './session-cookie.ts';
import {
  codeView,
  factorForm,
  NO_CODE,
  NO_FIT,
  NO_RECOVERY_CODE,
  narrowPage,
  ownPasswordView,
  recoveryCodes,
  signInView,
  signOutLine,
} from './sign-in-view.ts';

/** Seconds until a retry makes sense while too many passwords are checked at once. */
const BUSY_S = 5;

/** The most characters of a typed name: longer than any name of a user. */
const LONGEST_NAME = 100;

/** What every step of the sign-in needs. */
export type SignInGiven = {
  functions: SignInFunctions;
  audit: Audit;
  cookie: string;
  gate: SessionGate;
  know: Know;
  devices: Pick<Devices, 'of'>;
};

/**
 * `/sign-in`: the form, and its handling. A sign-in starts a session under a new token (session fixation), and ends the browser's earlier
 * one. The form has a token like all others, so that another site cannot sign a person in as somebody else (login CSRF).
 */
export function addSignIn(app: ConsoleApp, given: SignInGiven & { isNeeded: () => Promise<boolean> }): void {
  const { functions, audit, cookie, gate, know, devices, isNeeded } = given;
  const show = (reply: FastifyReply, { to, name, trouble }: { to: string; name?: string; trouble?: string }) =>
    reply.page({
      title: t`Sign in`,
      at: 'people',
      body: signInView({
        csrf: reply.csrf(),
        to,
        ways: functions.ways,
        // Other input is not shown again, since people type passwords into the wrong field.
        ...(name !== undefined && isUserName(name) ? { name } : {}),
        trouble,
      }),
    });

  app.get('/sign-in', { onRequest: gate.readSession }, async (request, reply) => {
    const to = wayBack((request.query as { to?: unknown }).to);
    if (request.signedIn) return reply.redirect(nextAddress(request.signedIn.owes, to), 303);
    if (!(await isNeeded())) return reply.redirect('/', 303);
    return show(reply, { to });
  });

  app.post('/sign-in', { preHandler: app.csrfProtection }, async (request, reply) => {
    const fields = formFieldsOf(request.body);
    const to = wayBack(fields.to);
    const name = (fields.name ?? '').trim().slice(0, LONGEST_NAME).toLowerCase();
    const client = clientOf(request);
    const answer = await functions.password({
      name,
      password: fields.password ?? '',
      ...client,
      device: devices.of(request, name),
    });
    if (answer.is !== 'in') {
      await noteRefused({ answer, name, client, given });
      return show(reply, { to, name, trouble: troubleOf(answer, reply) });
    }
    await audit.note({
      by: name,
      what: 'session begun',
      from: client.from,
      facts: { by: 'password', owes: answer.owes },
    });
    if (answer.owes === undefined) know({ request, reply }, name);
    const before = sessionTokenOf(request, cookie);
    if (before !== undefined) await functions.end(before);
    giveToken(reply, cookie, answer.token);
    return reply.redirect(nextAddress(answer.owes, to), 303);
  });
}

type Refusal = Exclude<PasswordAnswer, { is: 'in' }>;

const WHY = { no: 'password', later: 'too many tries', busy: 'too many at once' } as const;

/**
 * The message about a refused sign-in, and its status. It is the same for an unknown name and a wrong password, so that nobody
 * learns which names exist.
 */
function troubleOf(answer: Refusal, reply: FastifyReply): string {
  if (answer.is === 'later') return sayLater(reply, answer.afterS);
  if (answer.is === 'busy') {
    reply.code(503).header('retry-after', String(BUSY_S));
    return t`Too many people sign in at this moment. Try again in ${BUSY_S} seconds.`;
  }
  // RFC 9110, section 15.5.4: credentials were given and are not sufficient.
  reply.code(403);
  return NO_FIT;
}

/**
 * Records a refused sign-in. Many refusals become one entry with their number (Audit.refusal), so that an attacker cannot fill
 * the audit trail.
 */
async function noteRefused(about: {
  answer: Refusal;
  name: string;
  client: SignInClient;
  given: SignInGiven;
}): Promise<void> {
  const { answer, name, client, given } = about;
  const by = (await given.functions.isUser(name)) ? name : 'unknown';
  await given.audit.refusal({ by, what: 'sign-in refused', from: client.from, facts: { why: WHY[answer.is] } });
}

/** A request for the page of a sign-in step, by a person whose next step this is. */
type Step = { request: FastifyRequest; reply: FastifyReply; token: string; name: string; to: string };

/**
 * The steps that may follow a password: `/sign-in/code`, `/sign-in/factor`, `/sign-in/password`. A person who owes a step
 * reaches only its page (make-gate.ts); anybody else is redirected from it.
 */
export function addSignInSteps(app: ConsoleApp, given: SignInGiven): void {
  const { functions, audit, gate, know, devices } = given;

  /** Adds a step's page and form, under one address. */
  const addStep = (
    owed: Owed,
    given: {
      show: (step: Step) => unknown;
      take: (step: Step & { fields: Readonly<Record<string, string>> }) => unknown;
    },
  ) => {
    const { show, take } = given;
    const stepOf = (request: FastifyRequest, reply: FastifyReply, asked: unknown): Step | undefined => {
      const { signedIn } = request;
      const to = wayBack(asked);
      if (signedIn?.owes !== owed) return void reply.redirect(signedIn ? nextAddress(signedIn.owes, to) : '/', 303);
      return { request, reply, token: signedIn.token, name: signedIn.person.by, to };
    };
    app.get(`/sign-in/${owed}`, { onRequest: gate.readSession }, async (request, reply) => {
      const step = stepOf(request, reply, (request.query as { to?: unknown }).to);
      return step ? show(step) : reply;
    });
    app.post(
      `/sign-in/${owed}`,
      { onRequest: gate.readSession, preHandler: app.csrfProtection },
      async (request, reply) => {
        const fields = formFieldsOf(request.body);
        const step = stepOf(request, reply, fields.to);
        return step ? take({ ...step, fields }) : reply;
      },
    );
  };

  const showCode = ({ reply, to }: Step, recovery: boolean, trouble?: string) =>
    reply.page({ title: t`Your code`, at: 'people', body: codeView({ csrf: reply.csrf(), to, recovery, trouble }) });
  addStep('code', {
    show: (step) => showCode(step, 'recovery' in (step.request.query as object)),
    take: async (step) => {
      const { request, reply, token, name, to, fields } = step;
      const client = clientOf(request);
      const answer = await functions.code({
        token,
        code: fields.code ?? '',
        ...client,
        device: devices.of(request, name),
      });
      const facts = { by: /^\s*\d{6}\s*$/.test(fields.code ?? '') ? 'code' : t`recovery code` };
      if (answer.is === 'later') return showCode(step, fields.recovery === 'yes', sayLater(reply, answer.afterS));
      if (answer.is === 'no') {
        await audit.refusal({ by: name, what: 'sign-in refused', from: client.from, facts });
        reply.code(403);
        const recovery = fields.recovery === 'yes';
        return showCode(step, recovery, recovery ? NO_RECOVERY_CODE : NO_CODE);
      }
      await audit.note({ by: name, what: 'session confirmed', from: client.from, facts });
      know(step, name);
      keepToken(step, answer.token);
      return reply.redirect(to, 303);
    },
  });

  const showFactor = async ({ reply, name, to }: Step, trouble?: string) => {
    const csrf = reply.csrf();
    const factor = await functions.beginFactor(name);
    const body = narrowPage({
      title: t`Set up a second factor`,
      lead: t`Whoever may do more than look signs in with a password and a code from a telephone, so that a password alone is worth nothing.`,
      trouble,
      body: factorForm({ csrf, action: '/sign-in/factor', to, factor }),
      below: signOutLine(csrf),
    });
    return reply.page({ title: t`Second factor`, at: 'people', body });
  };
  addStep('factor', {
    show: showFactor,
    take: async (step) => {
      const { request, reply, token, name, to, fields } = step;
      const client = clientOf(request);
      const answer = await functions.confirmFactor({ name, token, code: fields.code ?? '', ...client });
      if (answer.is === 'no') {
        reply.code(403);
        return showFactor(step, answer.words);
      }
      await audit.note({ by: name, what: 'second factor set', from: client.from, about: name });
      keepToken(step, answer.token);
      const body = narrowPage({
        title: t`Recovery codes`,
        body: recoveryCodes({ codes: answer.made, next: to, words: t`I have kept them` }),
      });
      return reply.page({ title: t`Recovery codes`, at: 'people', body });
    },
  });

  const showPassword = ({ reply, name, to }: Step, trouble?: string) =>
    reply.page({
      title: t`Choose a password`,
      at: 'people',
      body: ownPasswordView({ csrf: reply.csrf(), to, name, trouble }),
    });
  addStep('password', {
    show: (step) => showPassword(step),
    take: async (step) => {
      const { request, reply, token, name, to, fields } = step;
      const refuse = (words: string) => {
        reply.code(422);
        return showPassword(step, words);
      };
      const { password = '', again } = fields;
      if (password !== again) return refuse(NOT_ALIKE);
      const client = clientOf(request);
      const answer = await functions.setPassword({ name, token, password, ...client });
      if (answer.is === 'no') return refuse(answer.words);
      await audit.note({ by: name, what: 'password changed', from: client.from, about: name });
      keepToken(step, answer.token);
      return reply.redirect(to, 303);
    },
  });
}

/** The message where a person typed two different passwords. A new password is typed twice, so that a typing error is noticed. */
export const NOT_ALIKE = t`The two passwords differ. Type the same one twice.`;
