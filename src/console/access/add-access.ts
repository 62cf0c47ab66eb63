import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { Audit } from '../../audit/audit.ts';
import { onceEach } from '../../once-at-a-time.ts';
import type { Person, Role } from '../../people/person.ts';
import { AnsweredAlready, type ConsoleApp, ConsoleError } from '../console-app.ts';
import { t } from '../html/html.ts';
import { listWords } from '../parts/text.ts';
import { sayPlainly } from '../server/guard.ts';
import type { About, Access, AccessTable, Rules } from './access.ts';
import { accessOf, allowedsOf, isAllowed, ownMatters, placesOf } from './access.ts';

/** The functions by which the console knows who asks, and which portfolios are theirs. */
export type AccessFunctions = {
  /**
   * The person who sends the request; undefined where nobody is signed in, which is answered 401. Called for each request to an address
   * that is not open. The function may send the answer itself, such as a redirect to the sign-in, and then answers `answered`.
   */
  identify: (request: FastifyRequest, reply: FastifyReply) => Promise<Person | 'answered' | undefined>;
  /** Whether a portfolio is the person's own: nobody else ever imported into it. Without this function no portfolio is anybody's own. */
  owns?: (person: Person, portfolio: string) => Promise<boolean>;
  /** The names of the people who assign roles, for refusals. A refusal names nobody where this fails or is empty. */
  admins?: () => Promise<readonly string[]>;
  /** Records actions and refusals. */
  audit: Audit;
} & Rules;

/** The access rule of addresses that do not exist: the answer 404 is only for people who are signed in; others must sign in first. */
const NOTHING_THERE: Access = { signedIn: true };

/**
 * Checks every route against the access table. A route without an entry in it stops the start of the console. Each request is first checked
 * by the person's roles. Before the handler runs, its portfolio and kind are checked too, which the route names by `:name` or
 * `config.about`. Call this before any route is registered, and after the hooks whose results {@link AccessFunctions.identify} reads.
 */
export function addAccess(app: ConsoleApp, given: AccessFunctions): void {
  const { table, places } = given;
  const ownMattersTo = onceEach((roles: string) => ownMatters(table, roles.split(' ') as Role[]));
  app.addHook('onRoute', (route) => checkEntry(route, table));
  app.decorateRequest('about');
  app.decorateRequest('lookAgain');
  addRefusals(app, { audit: given.audit });

  /** Notes who asks, and answers the request if it may not go on: then it answers the reply. */
  const letIn = async (request: FastifyRequest, reply: FastifyReply, access: Access) => {
    const person = await given.identify(request, reply);
    // `identify` has sent an answer. Returning the reply stops this request, since Fastify does not count an answer under way as
    // `sent`, and a second answer would change its content type.
    if (person === 'answered') return reply;
    if (person === undefined || person.by === '') return sayPlainly(reply, 401, t`Sign in first.`);
    request.person = person;
    request.rights = { roles: person.roles, owns: false, table, places };
    // The portfolio is not known yet. So a person is refused only if they could not do this with a portfolio of their own either.
    if (isAllowed(access, { roles: person.roles, owns: true })) return;
    const place = request.routeOptions.url === '/' ? placesOf(request.rights)[0] : undefined;
    // People open `/` first. A person who may not see its page, such as an admin, is led to the first page that they may see.
    if (place) return reply.redirect(place.href, 303);
    throw await refusal(request, access, undefined, given);
  };

  app.addHook('onRequest', async (request, reply) => {
    const access = accessFor(request);
    if ('open' in access) return;
    request.lookAgain = async () => {
      await letIn(request, reply, access);
      if (reply.sent) throw new AnsweredAlready();
    };
    return letIn(request, reply, access);
  });

  app.addHook('preHandler', async (request, reply) => {
    const access = accessFor(request);
    if ('open' in access) return;
    // A body may arrive long after its head, when the session has ended or the roles are others.
    if (request.body !== undefined) await letIn(request, reply, access);
    // A reply that was awaited gives undefined, so only this says whether `letIn` has answered.
    if (reply.sent) return reply;
    const about = await aboutOf(request);
    request.about = about;
    const { person } = request;
    const { portfolio, kind } = about;
    if (portfolio !== undefined && ownMattersTo(person.roles.join(' '))) {
      request.rights = { ...request.rights, owns: (await given.owns?.(person, portfolio)) ?? false };
    }
    if (!isAllowed(access, request.rights, kind)) throw await refusal(request, access, kind, given);
  });
}

function accessFor({ is404, routeOptions }: FastifyRequest): Access {
  // A route cannot be registered without an entry; if one were, nobody could use it.
  return is404 ? NOTHING_THERE : (routeOptions.config.access ?? {});
}

async function aboutOf(request: FastifyRequest): Promise<About> {
  const { name } = request.params as { name?: string };
  const said = await request.routeOptions.config.about?.(request);
  return { ...(name === undefined ? {} : { portfolio: name }), ...said };
}

/** @throws Error for a route that is not in the table, or a route whose access depends on a portfolio that its address does not name */
function checkEntry(route: RouteOptions, table: AccessTable): void {
  for (const method of [route.method].flat()) {
    const access = accessOf(table, method, route.url);
    const name = `${method} ${route.url}`;
    if (!access) {
      throw new Error(
        `The route ${name} has no rule: no declaration of a page says who may use it, so the console does not start.`,
      );
    }
    const hangs = 'own' in access || 'kinds' in access;
    if (hangs && !route.url.includes(':name') && !route.config?.about && !isPartsOnly(access)) {
      throw new Error(
        `Access to the route ${name} depends on its portfolio, which the route does not name: give it config.about.`,
      );
    }
    route.config = { ...route.config, access };
  }
}

/**
 * Whether the rule restricts only parts of a page, by kinds without `own`. Such a page calls `can` for each part itself, so its
 * route needs no `config.about`.
 */
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

/**
 * Records in the audit trail each answer 403 to a known person: by the access table, for the form token of an old page, or by the board of
 * queues. The entry names the route, since the address itself has portfolio names and search texts. People who are not signed in are led to
 * the sign-in, which is no refusal. The guard's refusals (server/guard.ts) are not recorded, or anybody could fill the audit trail.
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

/** The most admins that a refusal names; more names would be no help. */
const MOST_NAMES = 5;

/**
 * Why a person may not do something, which role it needs, and whom to ask. It never says whether the thing exists.
 *
 * @param given.by the person, so that an admin is not told to ask themselves
 * @param given.roles the person's roles
 * @param given.admins the admins' names; empty where unknown
 */
export function refusalWords(
  access: Access,
  given: { kind: string | undefined; by?: string; roles: readonly Role[]; admins: readonly string[] },
): string {
  const { kind, by, roles } = given;
  const admins = given.admins.filter((name) => name !== by);
  const takes = allowedsOf(access, kind).map(({ roles: all = [], own = [] }) => {
    const ways = [
      ...(all.length === 0 ? [] : [t`the role ${listWords(all, 'or')}`]),
      ...(own.length === 0
        ? []
        : [t`the role ${listWords(own, 'or')} and a portfolio into which nobody else imported`]),
    ];
    return ways.join(t`, or `);
  });
  const wanted = [...new Set(takes)].filter((one) => one !== '').join(t`; and besides `);
  const have =
    roles.length === 0
      ? t`You have no role`
      : roles.length > 1
        ? t`You have the roles ${listWords(roles, 'and')}`
        : t`You have the role ${listWords(roles, 'and')}`;
  const ask = roles.includes('admin')
    ? t`Who has which role is set under Users`
    : admins.length === 0
      ? t`Ask whoever runs Limitline for it`
      : t`Ask ${listWords(admins.slice(0, MOST_NAMES), 'or')} for it, who ${admins.length === 1 ? t`looks` : t`look`} after the roles`;
  return t`${wanted === '' ? t`Nobody may do this here` : t`This takes ${wanted}`}. ${have}. ${ask}. Nothing was done.`;
}
