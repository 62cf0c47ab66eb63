import multipart, { type FastifyMultipartOptions } from '@fastify/multipart';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Query } from '../../ledger/search/row-filter.ts';
import type { Person } from '../../people/person.ts';
import type { About, Access, AccessTable, PlaceLink, Rights } from '../access/access.ts';
import type { Action } from '../actions/action-words.ts';
import { addAction } from '../actions/add-action.ts';
import type { Acting, ConsoleApp } from '../console-app.ts';
import { addEvents } from '../events/add-events.ts';
import type { Frame, Hub } from '../events/hub.ts';
import type { PageParts } from '../layout/layout.ts';
import { asConsole, maskedView } from '../privacy/masked-view.ts';

type Params = Readonly<Record<string, string>>;

/** A request of a page's route: the request itself, its query as the route's schema reads it, and the page's functions. */
export type Visit<F, Q = Query> = { request: FastifyRequest; given: F; query: Q; params: Params; rights: Rights };

/** The parts of a page; or nothing where the function has sent an answer itself, such as a redirect or a file. */
type Answer = PageParts | FastifyReply | undefined;

type AboutOf<F, Q = Query> = (asked: Visit<F, Q>) => About | Promise<About>;

/** A schema of zod. That of a query replaces bad input by a default (`catch`), so that no page fails because of its query. */
type Schema<T> = { parse: (input: unknown) => T };

/** An address that is read: a page, a piece of one, or a file. */
type Get<F, Q> = {
  /** Who may open the address. */
  may: Access;
  query?: Schema<Q>;
  /** The time limit of the address, where the server's usual one is too short. */
  limitMs?: number;
  perMinute?: number;
  /** Tells the access check the portfolio and kind of a request; needed where `may` depends on them and the address has no `:name`. */
  about?: AboutOf<F, Q>;
  show: (asked: Visit<F, Q> & { reply: FastifyReply }) => Answer | Promise<Answer>;
};

/** An address to which a form is posted, see `addAction` for the options. */
type Post<F, T> = {
  may: Access;
  action: Action;
  /** The fields of the form; by default they are texts. */
  form?: Schema<T>;
  says?: readonly string[];
  audited?: false;
  /** The options of the parser where the form has files. */
  multipart?: FastifyMultipartOptions;
  limitMs?: number;
  bodyLimit?: number;
  about?: AboutOf<F>;
  handle: (acting: Posted<F, T>) => unknown;
};

/** The request of a page's action, with the form's fields and the page's functions. `stopping` is aborted when the console closes. */
export type Posted<F, T = Params> = Omit<Acting, 'fields'> & { fields: T; given: F; stopping: AbortSignal };

/** The events that refresh a page, see `addEvents`. */
type Events<F> = {
  may: Access;
  /**
   * Names what an open page shows: pages with the same text get the same pieces. Where the pieces are for one person, the text
   * must name that person.
   */
  key?: (params: Params, query: Query, person: Person, rights: Rights) => string;
  about?: AboutOf<F>;
  /** Makes the function that reads the pieces of the page; called once for a console. */
  frames: (given: F) => (key: string, rights: Rights) => Promise<Frame>;
};

type Place = Pick<PageParts, 'at' | 'marked'>;

type Around = { hub: Hub; stopping: AbortSignal; place: Place };

type Route<F> = { rules: AccessTable; add: (app: ConsoleApp, given: F, around: Around) => void };

type PageGiven<F> = Place & {
  /** The page's own entry in the navigation; entries stand in the order of the pages. */
  entry?: PlaceLink;
  /** Functions whose answers say nothing about buyers, and so are never masked. By default all answers may be masked. */
  ours?: 'all' | readonly (keyof F)[];
  /** Whether the page shows buyers' files or the service's messages unmasked; then people who see masked data are refused. */
  asItIs?: boolean;
  /** Called when the console closes. */
  close?: (given: F) => unknown;
};

/** The functions by which a page declares its routes: `get`, `post`, `events` and `other`. */
export type Kinds<F> = ReturnType<typeof makeKinds<F>>;

/** A page: its rules for access, its link in the navigation, and the function that adds its routes. */
export type Page<F> = {
  place: Place;
  entry: PlaceLink | undefined;
  rules: () => AccessTable;
  add: (app: ConsoleApp, given: F, around: Omit<Around, 'place'>) => void;
};

/**
 * A page of the console: a declaration of its place and of its routes, each with who may use it. The access table, the navigation, the
 * checks and the masks follow from it; pages/index.ts lists all pages. `F` are the functions that the page gets from scripts/console.
 */
export function page<F extends object | undefined>(
  { ours = [], asItIs = false, close, entry, ...place }: PageGiven<F>,
  routesBy: (kinds: Kinds<F>) => Route<F>[],
): Page<F> {
  let routes: Route<F>[] | undefined;
  // The routes are made at first use, since a page's schemas and constants stand below its declaration.
  const all = () => (routes ??= routesBy(makeKinds<F>()));
  return {
    place,
    entry,
    rules: () => mergedRules(all().map(({ rules }) => rules)),
    add: (app, functions, around) => {
      const given = ours === 'all' || !functions ? functions : masksOf(functions, ours, asItIs);
      for (const route of all()) route.add(app, given, { ...around, place });
      if (close) app.addHook('preClose', async () => asConsole(() => close(given)));
    },
  };
}

/** Several access tables as one. @throws Error where two of them decide about one address */
export function mergedRules(tables: readonly AccessTable[]): AccessTable {
  const all = tables.flatMap((table) => Object.entries(table));
  const merged = Object.fromEntries(all);
  const twice = all.find(([name], place) => all.findIndex(([other]) => other === name) !== place);
  if (twice) throw new Error(`Two declarations say who may use ${twice[0]}: leave one of them.`);
  return merged;
}

function masksOf<F extends object>(functions: F, ours: readonly (keyof F)[], asItIs: boolean): F {
  return maskedView(functions, { ours, asItIs: asItIs ? (Object.keys(functions) as (keyof F)[]) : [] });
}

function makeKinds<F>() {
  return {
    get<Q = Query>(path: string, { may, query, about, limitMs, perMinute, show }: Get<F, Q>): Route<F> {
      const add: Route<F>['add'] = (app, given, { place }) => {
        const options = {
          config: {
            ...aboutWith(about, given, query),
            ...(perMinute && { rateLimit: { max: perMinute, timeWindow: '1 minute' } }),
          },
          ...(limitMs && { handlerTimeout: limitMs }),
        };
        app.get(path, options, async (request, reply) =>
          answered(reply, place, await show({ ...askedOf(request, given, query), reply })),
        );
      };
      return { rules: { [`GET ${path}`]: may }, add };
    },

    post<T = Params>(path: string, { may, form, multipart: parser, about, handle, ...more }: Post<F, T>): Route<F> {
      const add: Route<F>['add'] = (app, given, { place, stopping }) => {
        const addTo = (scope: ConsoleApp) =>
          addAction(scope, {
            ...more,
            url: path,
            multipart: parser !== undefined,
            ...aboutWith(about, given),
            handle: async (acting) => {
              const fields = form ? form.parse(acting.fields) : (acting.fields as T);
              return answered(acting.reply, place, await handle({ ...acting, fields, given, stopping }));
            },
          });
        if (!parser) return addTo(app);
        // The parser is registered for this route alone, since another page may parse multipart bodies differently.
        app.register(async (scope) => {
          await scope.register(multipart, parser);
          addTo(scope);
        });
      };
      return { rules: { [`POST ${path}`]: may }, add };
    },

    events(path: string, { may, key = () => '', about, frames }: Events<F>): Route<F> {
      const add: Route<F>['add'] = (app, given, { hub }) =>
        addEvents(app, hub, {
          url: path,
          key: ({ params, query, person, rights }) => key(params as Params, query as Query, person, rights),
          frame: frames(given),
          ...aboutWith(about, given),
        });
      return { rules: { [`GET ${path}`]: may }, add };
    },

    /** Declares routes that `add` registers by other code than this module. Each of them needs an access rule all the same. */
    other: (rules: AccessTable, add: (app: ConsoleApp, given: F) => void): Route<F> => ({ rules, add }),
  };
}

function askedOf<F, Q>(request: FastifyRequest, given: F, schema?: Schema<Q>): Visit<F, Q> {
  const query = schema ? schema.parse(request.query) : (request.query as Q);
  return { request, given, query, params: request.params as Params, rights: request.rights };
}

function aboutWith<F, Q>(about: AboutOf<F, Q> | undefined, given: F, schema?: Schema<Q>) {
  return about && { about: async (request: FastifyRequest) => about(askedOf(request, given, schema)) };
}

async function answered(reply: FastifyReply, place: Place, answer: unknown): Promise<FastifyReply> {
  const isPage = typeof answer === 'object' && answer !== null && 'body' in answer;
  return isPage ? reply.page({ ...place, ...(answer as PageParts) }) : reply;
}

/**
 * The one file of a form, and its other fields; 'none' without one, 'too large' above so many bytes. The body is read to its end in any case:
 * otherwise the browser sees a broken connection, and not the answer.
 */
export async function formFileOf(request: FastifyRequest, mostBytes: number) {
  const file = await request.file({ limits: { fileSize: mostBytes, files: 1, fields: 5 }, throwFileSizeLimit: false });
  const content = await file?.toBuffer();
  await request.lookAgain();
  if (!file || !content || file.filename === '') return 'none';
  return file.file.truncated ? 'too large' : { fileName: file.filename, content, fields: file.fields };
}

/** A text of a query; empty where it is missing or repeated. */
export const text = z.string().catch('');

/** A number in a query, with at most `most` digits; 0 where the query has anything else. */
export function digits(most: number) {
  return z
    .string()
    .regex(new RegExp(`^\\d{1,${most}}$`))
    .transform(Number)
    .catch(0);
}
