import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Audit } from '../audit/audit.ts';
import type { Person } from '../people/person.ts';
import type { About, Access, Rights } from './access/access.ts';
import type { Action } from './actions/action-words.ts';
import type { Html } from './html/html.ts';
import type { PageParts } from './layout/layout.ts';

/** The server that pages are added to. */
export type ConsoleApp = FastifyInstance;

declare module 'fastify' {
  interface FastifyInstance {
    /** The audit trail of what is done here. */
    audit: Audit;
  }
  interface FastifyRequest {
    /** The person who sends the request. Known once the guard let it in; NOBODY before, and where no sign-in is needed. */
    person: Person;
    /** The one of our origins that the request went to, such as `https://console.example.com`; known once the guard let it in. */
    origin: string;
    /** What the person may do; pages check it with `can`. Whose portfolio the request is about, the handler knows. */
    rights: Rights;
    /** What the request is about, as the access table was asked; for the handler. */
    about: About | undefined;
  }
  interface FastifyContextConfig {
    /** The access table's entry for the route; set at the start. */
    access?: Access;
    /** Finds what a request is about, for the access table. Called only for people who may use the route at all. @throws ConsoleError */
    about?: (request: FastifyRequest) => Promise<About>;
    /** What a POST to this address does, see addAction. */
    action?: Action;
  }
  interface FastifyReply {
    /** Sends a whole page around this body, with a status strip read now. If a dialog asks for it, sends the body alone. */
    page: (parts: PageParts) => Promise<FastifyReply>;
    /** The same with the strip as it was read last, for an answer that must not wait. */
    pageNow: (parts: PageParts) => FastifyReply;
    /** Sends a piece of a page, which the browser's module inserts. */
    fragment: (piece: Html) => FastifyReply;
    /** The token that a form must send to be accepted; `form` (parts/form.ts) makes the field for it. */
    csrf: () => string;
  }
}

/** A message and a status for the person, thrown by pages and actions that cannot do what is asked for. */
export class ConsoleError extends Error {
  readonly statusCode: number;

  /** @param message for people: what is wrong, and what to do. It may name things, because it is never logged */
  constructor(
    statusCode: 400 | 403 | 404 | 409 | 413 | 415 | 422 | 429 | 503 | 507,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'ConsoleError';
    this.statusCode = statusCode;
  }
}

/** Who acts: `Person.by`. */
export type Actor = { name: string };

/** What an action gets: who acts, and what the form says. */
export type Acting = {
  request: FastifyRequest;
  reply: FastifyReply;
  actor: Actor;
  /** The parameters of the address, decoded. */
  params: Readonly<Record<string, string>>;
  /** The form's fields; of several with one name, the last. Empty when the body is no ordinary form. */
  fields: Readonly<Record<string, string>>;
  /** Adds facts to the audit entry, beside the status of the answer. Call it before the answer; no personal data. */
  tell: (facts: Readonly<Record<string, unknown>>) => void;
};
