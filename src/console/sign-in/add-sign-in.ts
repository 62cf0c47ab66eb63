import type { FastifyReply } from 'fastify';
import type { Audit } from '../../audit/audit.ts';
import { formFieldsOf } from '../actions/add-action.ts';
import type { ConsoleApp } from '../console-app.ts';
import { t } from '../html/texts.ts';
import type { Know } from './hold-tries.ts';
import { sayLater } from './hold-tries.ts';
import { nextAddress, type SessionGate } from './make-gate.ts';
import type { Coming, PasswordAnswer } from './people-functions.ts';
import { comingOf, type Devices, giveToken, readToken, wayBack } from './session-cookie.ts';
import type { SignInFunctions } from './sign-in-functions.ts';
import { NO_FIT, signInView } from './sign-in-view.ts';

/** Seconds until a retry makes sense while too many passwords are checked at once. */
const BUSY_S = 5;

/** The most characters of a typed name: longer than any name of a user. */
const LONGEST_NAME = 100;

/** The form of a user's name. Other input is not shown again, since people type passwords into the wrong field. */
const USER_NAME = /^[a-z0-9][a-z0-9._-]{0,39}$/;

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
 * `/sign-in`: the form, and its handling. A sign-in starts a session under a new token (session fixation), and ends the
 * browser's earlier one. The form has a token like all others, so that another site cannot sign a person in as somebody else
 * (login CSRF).
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
        ...(name !== undefined && USER_NAME.test(name) ? { name } : {}),
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
    const coming = comingOf(request);
    const answer = await functions.password({
      name,
      password: fields.password ?? '',
      ...coming,
      device: devices.of(request, name),
    });
    if (answer.is !== 'in') {
      await noteRefused({ answer, name, coming, given });
      return show(reply, { to, name, trouble: troubleOf(answer, reply) });
    }
    await audit.note({
      by: name,
      what: 'session begun',
      from: coming.from,
      facts: { by: 'password', owes: answer.owes },
    });
    if (answer.owes === undefined) know({ request, reply }, name);
    const before = readToken(request, cookie);
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
  coming: Coming;
  given: SignInGiven;
}): Promise<void> {
  const { answer, name, coming, given } = about;
  const by = (await given.functions.isUser(name)) ? name : 'unknown';
  await given.audit.refusal({ by, what: 'sign-in refused', from: coming.from, facts: { why: WHY[answer.is] } });
}
