import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Audit } from '../audit/audit.ts';
import type { Person } from '../people/person.ts';
import type { About, Access, Rights } from './access/access.ts';
import type { Action } from './actions/action-words.ts';
import type { Html } from './html/html.ts';
import type { PageParts } from './layout/layout.ts';

/** The server to which pages are added. */
export type ConsoleApp = FastifyInstance;

declare module 'fastify' {
  interface FastifyInstance {
    /** Where what is done here is written down. */
    audit: Audit;
  }
  interface FastifyRequest {
    /** Who asks; known once the guard let the request in, and NOBODY before and where nobody need be known. */
    person: Person;
    /** Of our origins the one that is asked, such as `https://console.example.com`; known once the guard let the request in. */
    origin: string;
    /** What they may, as pages ask of it by `can`; whose the portfolio is that the request is about, is known to the handler. */
    rights: Rights;
    /** What the request is about, as the table was asked; there for the handler. */
    about: About | undefined;
  }
  interface FastifyContextConfig {
    /** What the table says of the route; put there at the start. */
    access?: Access;
    /** What a request is about, for the table; only asked of those who may use the route at all. @throws ConsoleError */
    about?: (request: FastifyRequest) => Promise<About>;
    /** What a posted address does, see addAction. */
    action?: Action;
  }
  interface FastifyReply {
    /** Answers with a whole page around this body, with the strip as it is now; where a dialog asks for it, with the body alone. */
    page: (parts: PageParts) => Promise<FastifyReply>;
    /** The same with the strip as it was read last: for what must be said at once. */
    pageNow: (parts: PageParts) => FastifyReply;
    /** Answers with a piece of a page, which the browser's module puts in its place. */
    fragment: (piece: Html) => FastifyReply;
    /** The token that a form needs to be believed; the field for it is made by `form` (parts/form.ts). */
    csrf: () => string;
  }
}

/** What the person is told, and with which status: for pages and actions that cannot do what is asked for. */
export class ConsoleError extends Error {
  readonly statusCode: number;

  /** @param message for people: what is wrong, and what to do; it may name things, since it is never logged */
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
