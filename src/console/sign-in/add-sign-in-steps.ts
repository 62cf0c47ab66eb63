import type { FastifyReply, FastifyRequest } from 'fastify';
import { formFieldsOf } from '../actions/add-action.ts';
import type { ConsoleApp } from '../console-app.ts';
import { t } from '../html/texts.ts';
import type { SignInGiven } from './add-sign-in.ts';
import { sayLater } from './hold-tries.ts';
import { nextAddress } from './make-gate.ts';
import type { Owed } from './people-functions.ts';
import { comingOf, keepToken, wayBack } from './session-cookie.ts';
import {
  codeView,
  factorForm,
  NO_CODE,
  NO_RECOVERY_CODE,
  narrowPage,
  ownPasswordView,
  recoveryCodes,
  signOutLine,
} from './sign-in-view.ts';

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
    {
      show,
      take,
    }: {
      show: (step: Step) => unknown;
      take: (step: Step & { fields: Readonly<Record<string, string>> }) => unknown;
    },
  ) => {
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
      const coming = comingOf(request);
      const answer = await functions.code({
        token,
        code: fields.code ?? '',
        ...coming,
        device: devices.of(request, name),
      });
      const facts = { by: /^\s*\d{6}\s*$/.test(fields.code ?? '') ? 'code' : t`recovery code` };
      if (answer.is === 'later') return showCode(step, fields.recovery === 'yes', sayLater(reply, answer.afterS));
      if (answer.is === 'no') {
        await audit.refusal({ by: name, what: 'sign-in refused', from: coming.from, facts });
        reply.code(403);
        const recovery = fields.recovery === 'yes';
        return showCode(step, recovery, recovery ? NO_RECOVERY_CODE : NO_CODE);
      }
      await audit.note({ by: name, what: 'session confirmed', from: coming.from, facts });
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
      const coming = comingOf(request);
      const answer = await functions.confirmFactor({ name, token, code: fields.code ?? '', ...coming });
      if (answer.is === 'no') {
        reply.code(403);
        return showFactor(step, answer.words);
      }
      await audit.note({ by: name, what: 'second factor set', from: coming.from, about: name });
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
      const coming = comingOf(request);
      const answer = await functions.setPassword({ name, token, password, ...coming });
      if (answer.is === 'no') return refuse(answer.words);
      await audit.note({ by: name, what: 'password changed', from: coming.from, about: name });
      keepToken(step, answer.token);
      return reply.redirect(to, 303);
    },
  });
}

/** The message where a person typed two different passwords. A new password is typed twice, so that a typing error is noticed. */
export const NOT_ALIKE = t`The two passwords differ. Type the same one twice.`;
