import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Audit } from '../audit/audit.ts';
import type { Person } from '../people/person.ts';
import type { About, Access, Rights } from './access/access.ts';
import type { Action } from './actions/action-words.ts';
import type { Html } from './html/html.ts';
import type { PageParts } from './layout/layout.ts';

export type ConsoleApp = FastifyInstance;

declare module 'fastify' {
  interface FastifyInstance {
    /** The audit trail (src/audit), which records what people do in the console. */
    audit: Audit;
  }
  interface FastifyRequest {
    /** The person who sends the request: NOBODY before the access check, and at addresses that are open to everybody. */
    person: Person;
    /** The console's own origin that the request used, such as `https://console.example.com`; set by the guard. */
    origin: string;
    /** The person's rights, for `can`. `owns` says whether the portfolio of this request is their own; before the handler it is false. */
    rights: Rights;
    /** The portfolio and the kind of request by which access was checked; set for the handler. */
    about: About | undefined;
    /**
     * Looks again who asks, for a handler that has read the body by itself: it may have arrived long after its head.
     *
     * @throws AnsweredAlready, ConsoleError where the person may not go on any more
     */
    lookAgain: () => Promise<void>;
  }
  interface FastifyContextConfig {
    /** The route's entry in the access table, set when the route is registered. */
    access?: Access;
    /** Tells the access table what a request is about, if the person may use the route at all. @throws ConsoleError */
    about?: (request: FastifyRequest) => Promise<About>;
    /** The action of an address to which a form is posted, see `addAction`. */
    action?: Action;
  }
  interface FastifyReply {
    /** Answers with a whole page, whose strip (the line at the top of every page) is read anew; with the body alone where a dialog asks. */
    page: (parts: PageParts) => Promise<FastifyReply>;
    /** Answers as `page` does, but with the strip (the line at the top) as last read, for answers that must not wait for Redis. */
    pageNow: (parts: PageParts) => FastifyReply;
    /** Answers with a piece of a page, which the browser's module inserts. */
    fragment: (piece: Html) => FastifyReply;
    /** The token for the page's forms; `form` (parts/form.ts) makes the field for it. */
    csrf: () => string;
  }
}

/** An answer to the person that their request cannot be done: a status and a message. */
export class ConsoleError extends Error {
  readonly statusCode: number;

  /** @param message says what is wrong and what to do; it may name things, since it is never logged */
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

/** Ends a handler whose request was answered already. */
export class AnsweredAlready extends Error {}

/** The person who acts, by the name in `Person.by`. */
type Actor = { name: string };

/** What an action gets: the person, the request, and the form's fields. */
export type Acting = {
  request: FastifyRequest;
  reply: FastifyReply;
  actor: Actor;
  /** The parameters of the address, decoded. */
  params: Readonly<Record<string, string>>;
  /** The fields of the form; the last one of several with one name. Empty for multipart bodies. */
  fields: Readonly<Record<string, string>>;
  /** Adds facts to the audit's entry, beside the answer's status. Call it before the answer; no personal data. */
  tell: (facts: Readonly<Record<string, unknown>>) => void;
};
