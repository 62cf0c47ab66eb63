import type { FastifyRequest } from 'fastify';
import type { Audit, AuditNote } from '../../audit/audit.ts';
import type { About } from '../access/access.ts';
import type { Acting, ConsoleApp } from '../console-app.ts';
import { ACTION_WORDS, type Action } from './action-words.ts';

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
          fields: multipart ? {} : formFieldsOf(request.body),
        },
        handle,
      ),
  );
}

/** The fields of a form, less its token; of several with one name the last. Empty where the body is not an ordinary form. */
export function formFieldsOf(body: unknown): Readonly<Record<string, string>> {
  const fields: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries((body ?? {}) as Record<string, unknown>)) {
    const text = Array.isArray(value) ? value.at(-1) : value;
    if (typeof text === 'string' && name !== '_csrf') fields[name] = text;
  }
  return fields;
}

/** An action that goes on: it is over when it ends, or when its answer is about to leave. */
type Entry = { answering: () => void; written: Promise<unknown> };

type Given = Omit<Acting, 'tell'>;

/**
 * Puts what an action does between two entries of the audit. A handler ends only when its answer has left, since a reply can be
 * waited for; so that whoever reads an answer finds it written down, the second entry is made when the answer is ready to go,
 * and the answer waits for it.
 */
export function recorded(audit: Audit, noteOf: (given: Given) => AuditNote) {
  const entries = new WeakMap<FastifyRequest, Entry>();
  return {
    /** @throws what the action throws, and where an entry cannot be written */
    async act(given: Given, handle: (acting: Acting) => unknown): Promise<unknown> {
      const { request, reply } = given;
      const told: Record<string, unknown> = {};
      const acting: Acting = { ...given, tell: (facts) => void Object.assign(told, facts) };
      const answering = Promise.withResolvers<void>();
      let handled: Promise<unknown> | undefined;
      const written = audit.around(
        noteOf(given),
        async () => {
          handled = Promise.try(handle, acting);
          await Promise.race([handled, answering.promise]);
        },
        () => ({ status: reply.statusCode, ...told }),
        () => (reply.statusCode < FIRST_REFUSAL ? 'done' : 'failed'),
      );
      entries.set(request, { answering: answering.resolve, written });
      try {
        await written;
      } catch (error) {
        // The page that says so has nothing to wait for.
        entries.delete(request);
        throw error;
      }
      return handled;
    },

    actUnrecorded: (given: Given, handle: (acting: Acting) => unknown): unknown =>
      handle({ ...given, tell: () => undefined }),

    /** A hook of the action's route. */
    async beforeAnswer(request: FastifyRequest, _reply: unknown, payload: unknown): Promise<unknown> {
      const entry = entries.get(request);
      entry?.answering();
      await entry?.written;
      return payload;
    },
  };
}

/** From here on an answer says that nothing was done. */
const FIRST_REFUSAL = 400;
