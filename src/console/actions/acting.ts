import type { FastifyReply, FastifyRequest } from 'fastify';

/** Who acts: `Person.by`. */
export type Actor = { name: string };

/** What an action is handed: who acts, and what the form says. */
export type Acting = {
  request: FastifyRequest;
  reply: FastifyReply;
  actor: Actor;
  /** The parameters of the address, decoded. */
  params: Readonly<Record<string, string>>;
  /** The fields of the form; of several with one name the last. Empty where the body is not an ordinary form. */
  fields: Readonly<Record<string, string>>;
  /** Tells the audit what came of it, beside the status of the answer. Before the answer; no personal data. */
  tell: (facts: Readonly<Record<string, unknown>>) => void;
};
