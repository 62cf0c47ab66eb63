import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { Audit } from '../../audit/audit.ts';
import type { Person, Role } from '../../people/person.ts';
import { type ConsoleApp, ConsoleError } from '../console-app.ts';
import { placesOf } from '../layout/layout.ts';
import { sayPlainly } from '../server/guard.ts';
import { type About, type Access, type AccessTable, accessOf, allowedsOf, isAllowed, ownMatters } from './access.ts';

/** What the console is handed to know who asks, and what is theirs. */
export type AccessFunctions = {
  /**
   * Who asks; undefined where nobody is signed in. Asked for each request but those that are open to everybody. It may answer
   * the request itself, to lead to the sign-in, or to what somebody must do first, and says so; else who is not known is answered 401.
   */
  identify: (request: FastifyRequest, reply: FastifyReply) => Promise<Person | 'answered' | undefined>;
  /** Whether nobody else ever imported into the portfolio. Without it nothing is anybody's own. */
  owns?: (person: Person, portfolio: string) => Promise<boolean>;
  /** Whom to ask for a role, by name; where it fails or is empty, nobody is named. */
  admins?: () => Promise<readonly string[]>;
  /** Where what is done and what is refused is written down. */
  audit: Audit;
  /** Other entries than those of access-table.ts: for tests, which bring addresses of their own. */
  table: AccessTable;
};

/** What is not under any address: that there is nothing is told to those who are known. */
const NOTHING_THERE: Access = { signedIn: true };

/**
 * Holds every route against the table: at the start, that it has an entry, and with each request, before anything else is done
 * for it, that who asks may use it. What depends on whose portfolio it is, or on what is asked for, is looked at before the
 * handler, which therefore cannot forget it: for that the address has `:name`, or the route tells by `config.about`.
 *
 * Call it before any route is registered, and {@link AccessFunctions.identify} finds what hooks before it have read.
 */
export function addAccess(app: ConsoleApp, given: AccessFunctions): void {
  const { table } = given;
  const ownMattersTo = memoized((roles: Person['roles']) => ownMatters(table, roles));
  app.addHook('onRoute', (route) => checkEntry(route, table));
  app.decorateRequest('about');
  addRefusals(app, { audit: given.audit });

  app.addHook('onRequest', async (request, reply) => {
    const access = accessFor(request);
    if ('open' in access) return;
    const person = await given.identify(request, reply);
    // An answer that is under way is not `sent` yet: a second one would change the type of the first.
    if (person === 'answered') return reply;
    if (person === undefined || person.by === '') return sayPlainly(reply, 401, 'Sign in first.');
    request.person = person;
    request.rights = { roles: person.roles, owns: false };
    // Whether it is their own is not known yet: here it is only asked whether it could be enough.
    if (isAllowed(access, { roles: person.roles, owns: true })) return;
    const place = request.routeOptions.url === '/' ? placesOf(request.rights)[0] : undefined;
    // Where everybody comes in: an admin has other pages than this one.
    if (place) return reply.redirect(place.href, 303);
    throw await refusal(request, access, undefined, given);
  });

  app.addHook('preHandler', async (request) => {
    const access = accessFor(request);
    if ('open' in access) return;
    const about = await aboutOf(request);
    request.about = about;
    const { person } = request;
    const { portfolio, kind } = about;
    if (portfolio !== undefined && ownMattersTo(person.roles)) {
      request.rights = { roles: person.roles, owns: (await given.owns?.(person, portfolio)) ?? false };
    }
    if (!isAllowed(access, request.rights, kind)) throw await refusal(request, access, kind, given);
  });
}

function accessFor({ is404, routeOptions }: FastifyRequest): Access {
  // Nothing is registered without; and were it, then it would be for nobody.
  return is404 ? NOTHING_THERE : (routeOptions.config.access ?? {});
}

async function aboutOf(request: FastifyRequest): Promise<About> {
  const { name } = request.params as { name?: string };
  const said = await request.routeOptions.config.about?.(request);
  return { ...(name === undefined ? {} : { portfolio: name }), ...said };
}

/** @throws Error for a route that nobody has decided about, or whose rights hang on what it does not tell */
function checkEntry(route: RouteOptions, table: AccessTable): void {
  for (const method of [route.method].flat()) {
    const access = accessOf(table, method, route.url);
    const name = `${method} ${route.url}`;
    if (!access) {
      throw new Error(
        `The route ${name} has no entry in src/console/access/access-table.ts: nobody has said yet who may use it, so the console does not start.`,
      );
    }
    const hangs = 'own' in access || 'kinds' in access;
    if (hangs && !route.url.includes(':name') && !route.config?.about && !isPartsOnly(access)) {
      throw new Error(
        `Who may use the route ${name} hangs on which portfolio it is about, and the route does not tell: give it config.about.`,
      );
    }
    route.config = { ...route.config, access };
  }
}

/** A page of which some parts are for fewer people asks for those by itself. */
function isPartsOnly(access: Access): boolean {
  return 'kinds' in access && !('own' in access) && Object.values(access.kinds ?? {}).every(({ own }) => !own);
}

async function refusal(request: FastifyRequest, access: Access, kind: string | undefined, given: AccessFunctions) {
  const admins = (await given.admins?.().catch(() => [])) ?? [];
  return new ConsoleError(
    403,
    refusalWords(access, { kind, by: request.person.by, roles: request.person.roles, admins }),
  );
}

function memoized<T extends readonly string[], A>(work: (of: T) => A): (of: T) => A {
  const known = new Map<string, A>();
  return (of) => {
    const key = of.join(' ');
    const found = known.get(key) ?? work(of);
    known.set(key, found);
    return found;
  };
}

/**
 * Writes each refusal of somebody who is known into the audit, whatever refused it: the table, a token of an old page, the
 * board. By method and pattern: names of portfolios and what somebody looked for stand in the address itself.
 *
 * Who is not known is led to the sign-in, which is no refusal; and what the guard turns away (server/guard.ts) was never looked
 * at: else anybody could fill the audit.
 */
function addRefusals(app: ConsoleApp, { audit }: { audit: Audit }): void {
  app.addHook('onSend', async (request, reply, payload) => {
    const { person, method, routeOptions } = request;
    if (reply.statusCode !== FORBIDDEN || person.by === '') return payload;
    const facts = { method, route: routeOptions.url ?? 'none', roles: person.roles.join(' ') };
    await audit.refusal({ by: person.by, what: 'request refused', from: request.ip, facts });
    return payload;
  });
}

const FORBIDDEN = 403;

/** More names than this are no help to whoever looks for one. */
const MOST_NAMES = 5;

/**
 * Why somebody may not, what it takes, and whom to ask for it. Nothing is said of the thing itself, nor whether there is one.
 *
 * @param given.by who they are: an admin is not told to ask themselves
 * @param given.roles theirs
 * @param given.admins by name; none where they are not known
 */
export function refusalWords(
  access: Access,
  given: { kind: string | undefined; by?: string; roles: readonly Role[]; admins: readonly string[] },
): string {
  const { kind, by, roles } = given;
  const admins = given.admins.filter((name) => name !== by);
  const takes = allowedsOf(access, kind).map(({ roles: all = [], own = [] }) => {
    const ways = [
      ...(all.length === 0 ? [] : [`the role ${listed(all, 'or')}`]),
      ...(own.length === 0 ? [] : [`the role ${listed(own, 'or')} and a portfolio into which nobody else imported`]),
    ];
    return ways.join(', or ');
  });
  const wanted = [...new Set(takes)].filter((one) => one !== '').join('; and besides ');
  const have =
    roles.length === 0 ? 'You have no role' : `You have the role${roles.length > 1 ? 's' : ''} ${listed(roles, 'and')}`;
  const ask = roles.includes('admin')
    ? 'Who has which role is set under Users'
    : admins.length === 0
      ? 'Ask whoever runs Limitline for it'
      : `Ask ${listed(admins.slice(0, MOST_NAMES), 'or')} for it, who ${admins.length === 1 ? 'looks' : 'look'} after the roles`;
  return `${wanted === '' ? 'Nobody may do this here' : `This takes ${wanted}`}. ${have}. ${ask}. Nothing was done.`;
}

/** `finance`, `finance or operator`, `viewer, finance or operator`. */
function listed(words: readonly string[], last: 'or' | 'and'): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`;
}
