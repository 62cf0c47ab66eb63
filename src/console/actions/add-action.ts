import type { FastifyRequest } from 'fastify';
import type { Audit, AuditNote } from '../../audit/audit.ts';
import type { About } from '../access/access.ts';
import { type Acting, AnsweredAlready, type ConsoleApp } from '../console-app.ts';
import { ACTION_WORDS, type Action } from './action-words.ts';

/** The most actions of one person in a minute: no person reaches that, only a faulty script. */
const ACTIONS_PER_MINUTE = 600;

/**
 * Adds an action: an address to which a form is posted. The console changes nothing in any other way. Checks run in this order: `Host`,
 * `Origin` and `Sec-Fetch-Site` (server/guard.ts), the access table (access/add-access.ts), the form's token. The audit trail records the
 * action before it starts, and its outcome before the answer is sent. If the first of these entries cannot be written, nothing is done. A
 * handler that is done answers with a redirect (`reply.redirect(address, 303)`), so that reloading the page is harmless.
 *
 * @param given.url with `:name` where it is about a portfolio
 * @param given.about what the request is about, for the table and the audit, where the address does not say it
 * @param given.says fields of the form for the audit, beside the address's parameters; no secrets, and nothing of a buyer's
 * line
 * @param given.audited false for a request that changes nothing and is posted only for its size
 * @param given.multipart `handle` reads the body as a stream of files. The token is then in the query or the header
 * `csrf-token`, and `limitMs` must allow for a long upload
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
    const { portfolio, named, facts } = request.about ?? {};
    // The parameters of the address other than portfolio and user are ids of rows, plans or uploads. The audit trail records them, too.
    const { name: _name, user, ...which } = params;
    const about = portfolio ?? named ?? user;
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
    async (request, reply) => {
      const fields = multipart ? {} : formFieldsOf(request.body);
      const params = request.params as Record<string, string>;
      try {
        return await act({ request, reply, actor: { name: request.person.by }, params, fields }, handle);
      } catch (error) {
        if (error instanceof AnsweredAlready) return reply;
        throw error;
      }
    },
  );
}

/** The fields of a form without its token. Of several fields with one name, the last counts. Empty for multipart bodies. */
export function formFieldsOf(body: unknown): Readonly<Record<string, string>> {
  const fields: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries((body ?? {}) as Record<string, unknown>)) {
    const text = Array.isArray(value) ? value.at(-1) : value;
    if (typeof text === 'string' && name !== '_csrf') fields[name] = text;
  }
  return fields;
}

/**
 * An action that runs and is being recorded. `answering` is called when its answer is about to leave; `written` settles once its
 * outcome is recorded.
 */
type Entry = { answering: () => void; written: Promise<unknown> };

type Given = Omit<Acting, 'tell'>;

/**
 * Records an action by two entries of the audit trail: one before it starts, one with its outcome. The second is written as soon as
 * the answer is ready, since a handler may end only after its answer was sent. The answer waits for that entry: a person who reads
 * the answer finds the action recorded.
 */
export function recorded(audit: Audit, noteOf: (given: Given) => AuditNote) {
  const entries = new WeakMap<FastifyRequest, Entry>();
  return {
    /** @throws the action's error, and the audit's where an entry cannot be written */
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
        // The failed entry is forgotten: `beforeAnswer` would await it for the error page too, and fail again.
        entries.delete(request);
        throw error;
      }
      return handled;
    },

    actUnrecorded: (given: Given, handle: (acting: Acting) => unknown): unknown =>
      handle({ ...given, tell: () => undefined }),

    /** The `onSend` hook of the action's route: it holds the answer back until the audit trail has the action's outcome. */
    async beforeAnswer(request: FastifyRequest, _reply: unknown, payload: unknown): Promise<unknown> {
      const entry = entries.get(request);
      entry?.answering();
      await entry?.written;
      return payload;
    },
  };
}

/** The lowest status of an answer that says that the action failed. */
const FIRST_REFUSAL = 400;
