import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ConsoleApp } from '../console-app.ts';
import { ConsoleError } from '../server/console-error.ts';
import { fieldsOf } from './fields-of.ts';
import type { Action, Actor, May } from './may.ts';

/** As many a minute as nobody clicks: what sends more is a script that went wrong. */
const ACTIONS_PER_MINUTE = 600;

/** What an action is handed: who acts, and what the form says. */
export type Acting = {
  request: FastifyRequest;
  reply: FastifyReply;
  actor: Actor;
  /** The parameters of the address, decoded. */
  params: Readonly<Record<string, string>>;
  /** The fields of the form; of several with one name the last. Empty where the body is not an ordinary form. */
  fields: Readonly<Record<string, string>>;
  /** Tells the audit what came of it. */
  tell: (facts: Readonly<Record<string, unknown>>) => void;
};

/**
 * Something that a person can do, under an address that is only posted to. It is the one way in which the console changes
 * anything: the guard has looked at `Host`, `Origin` and `Sec-Fetch-Site` before (server/guard.ts), here the token is looked
 * at, and the one place is asked that says who may.
 *
 * A page that was posted ends by a redirect (`reply.redirect(address, 303)`), so that it can be loaded again harmlessly.
 *
 * @param given.url with `:name` for the portfolio, where it is about one
 * @param given.multipart the body is a stream of files that `handle` reads itself: the token is then in the query or the
 *   header `csrf-token`, and `limitMs` should be as long as an upload takes
 */
export function addAction(
  app: ConsoleApp,
  given: {
    url: string;
    action: Action;
    handle: (acting: Acting) => unknown;
    multipart?: boolean;
    limitMs?: number;
    bodyLimit?: number;
  },
): void {
  const { url, action, handle, multipart = false, limitMs, bodyLimit } = given;
  const ask = async (request: FastifyRequest): Promise<void> => {
    const { name } = request.params as { name?: string };
    const answer = await app.may({
      actor: actorOf(request),
      action,
      ...(name === undefined ? {} : { portfolio: name }),
    });
    if (answer !== true) throw new ConsoleError(403, answer);
  };
  app.post(
    url,
    {
      ...(limitMs === undefined ? {} : { handlerTimeout: limitMs }),
      ...(bodyLimit === undefined ? {} : { bodyLimit }),
      config: { action, rateLimit: { max: ACTIONS_PER_MINUTE, timeWindow: '1 minute' } },
      ...(multipart ? { onRequest: app.csrfProtection } : { preHandler: app.csrfProtection }),
    },
    async (request, reply) => {
      await ask(request);
      const params = request.params as Record<string, string>;
      return handle({
        request,
        reply,
        actor: actorOf(request),
        params,
        fields: multipart ? {} : fieldsOf(request.body),
        tell: () => undefined,
      });
    },
  );
}

function actorOf({ person }: FastifyRequest): Actor {
  return { name: person.by };
}

declare module 'fastify' {
  interface FastifyInstance {
    /** The one place that says who may. */
    may: May;
  }
  interface FastifyContextConfig {
    /** What a posted address does; the test of all routes looks for it. */
    action?: Action;
  }
}
