import type { FastifyRequest } from 'fastify';
import type { Audit, AuditNote } from '../../audit/audit.ts';
import type { Acting } from './acting.ts';

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
