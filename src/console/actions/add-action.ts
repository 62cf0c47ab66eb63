import type { FastifyRequest } from 'fastify';
import type { About } from '../access/access.ts';
import type { ConsoleApp } from '../console-app.ts';
import type { Acting } from './acting.ts';
import { ACTION_WORDS, type Action } from './action-words.ts';
import { fieldsOf } from './fields-of.ts';
import { recorded } from './recorded.ts';

export type { Acting } from './acting.ts';

/** As many a minute as nobody clicks: what sends more is a script that went wrong. */
const ACTIONS_PER_MINUTE = 600;

/**
 * Something that a person can do, under an address that is only posted to. It is the one way in which the console changes
 * anything: the guard has looked at `Host`, `Origin` and `Sec-Fetch-Site` before (server/guard.ts), the table at who may
 * (access/add-access.ts), here the token is looked at, and the audit is told what is wished before it is done and what came
 * of it before it is answered. Nothing is done where the first of these cannot be written down.
 *
 * A page that was posted ends by a redirect (`reply.redirect(address, 303)`), so that it can be loaded again harmlessly.
 *
 * @param given.url with `:name` for the portfolio, where it is about one
 * @param given.about what it is about, where the address does not say it, for the table and the audit
 * @param given.says fields of the form that the audit is told, beside what stands in the address; no secrets, and nothing of what
 *   stands in a buyer's line
 * @param given.audited false for what changes nothing and only has a form too large for an address
 * @param given.multipart the body is a stream of files that `handle` reads itself: the token is then in the query or the
 *   header `csrf-token`, and `limitMs` should be as long as an upload takes
 */
export function addAction(
  app: ConsoleApp,
  given: {
    url: string;
    action: Action;
    handle: (acting: Acting) => unknown;
    about?: (request: FastifyRequest) => Promise<About>;
    says?: readonly string[];
    audited?: false;
    multipart?: boolean;
    limitMs?: number;
    bodyLimit?: number;
  },
): void {
  const { url, action, handle, about, says = [], audited = true, multipart = false, limitMs, bodyLimit } = given;
  const trail = recorded(app.audit, ({ request, params, fields }) => {
    const { portfolio, facts } = request.about ?? {};
    // Names of things of ours: which row, which plan, which upload.
    const { name: _name, user, ...which } = params;
    const about = portfolio ?? user;
    const said = Object.fromEntries(says.flatMap((field) => (fields[field] ? [[field, fields[field]]] : [])));
    return {
      by: request.person.by,
      what: ACTION_WORDS[action],
      from: request.ip,
      ...(about === undefined ? {} : { about }),
      facts: { ...which, ...said, ...facts },
    };
  });
  const act = audited ? trail.act : trail.actUnrecorded;
  app.post(
    url,
    {
      ...(limitMs === undefined ? {} : { handlerTimeout: limitMs }),
      ...(bodyLimit === undefined ? {} : { bodyLimit }),
      config: { action, rateLimit: { max: ACTIONS_PER_MINUTE, timeWindow: '1 minute' }, ...(about ? { about } : {}) },
      ...(multipart ? { onRequest: app.csrfProtection } : { preHandler: app.csrfProtection }),
      onSend: trail.beforeAnswer,
    },
    async (request, reply) =>
      act(
        {
          request,
          reply,
          actor: { name: request.person.by },
          params: request.params as Record<string, string>,
          fields: multipart ? {} : fieldsOf(request.body),
        },
        handle,
      ),
  );
}
