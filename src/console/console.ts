import { createHash, randomBytes } from 'node:crypto';
import cookie from '@fastify/cookie';
import csrfProtection from '@fastify/csrf-protection';
import formbody from '@fastify/formbody';
import rateLimit from '@fastify/rate-limit';
import { fastifySSE } from '@fastify/sse';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { LimitlineError } from '../errors.ts';
import type { Log } from '../log.ts';
import { addressGroup } from '../people/sign-in/address-group.ts';
import { type AccessFunctions, addAccess } from './access/add-access.ts';
import type { ConsoleApp } from './console-app.ts';
import { addEvents } from './events/add-events.ts';
import { type Hub, makeHub } from './events/hub.ts';
import type { Html } from './html/html.ts';
import { type Assets, layout, type PageParts, type Strip, type StripState, wantsFragment } from './layout/layout.ts';
import { ACCESS, PLACES } from './pages/index.ts';
import { rememberWhoLooks } from './privacy/masked-view.ts';
import { serveAssets } from './server/assets.ts';
import { addErrorPages } from './server/error-pages.ts';
import { addSecurityHeaders, askWhoWasLed } from './server/guard.ts';
import { FORM_LIMIT_BYTES, makeServer } from './server/make-server.ts';
import { localReach, type Reach } from './server/reach.ts';
import { addSignInPages, type SignInOptions } from './sign-in/add-oidc-sign-in.ts';
import { holdTries, makeMayWatch, makeSessionGate } from './sign-in/make-gate.ts';
import { makeDevices } from './sign-in/session-cookie.ts';

/**
 * The web console: pages, actions and events.
 *
 * @param given.host a loopback address, unless `reach` makes another one safe
 * @param given.port 0 takes a free one
 * @param given.account whose ledger the pages show; forms of another account's pages are refused as too old
 * @param given.strip the line at the top of every page; read twice a second while a page is open
 * @param given.pages adds the pages, see pages/index.ts
 * @param given.reach from where and by which names people reach the console (server/reach.ts); by default this machine alone
 * @param given.signIn how people sign in; without it and `identify` nobody is let in
 * @param given.identify replaces the session in saying who asks, see access/add-access.ts
 * @param given.audit records what people do; by default nothing is recorded
 * @throws LimitlineError `SETTINGS` for an address that is not loopback, and for a certificate that cannot be used
 */
export async function makeConsole(
  given: {
    host: string;
    port: number;
    account?: string;
    log: Log;
    strip: () => Promise<Strip>;
    pages: (app: ConsoleApp, hub: Hub) => void;
    reach?: Reach;
    signIn?: SignInOptions;
  } & Partial<AccessFunctions>,
) {
  const { host, port, log, reach = localReach(host) } = given;
  const signIn = signInFor(given, reach);
  // Event streams are ended when the session of their page ends. Where `identify` replaces sessions, there are none to ask about.
  const mayWatch = signIn && !given.identify ? makeMayWatch(signIn.gate) : undefined;
  const hub = makeHub({ strip: given.strip, log, ...(mayWatch && { mayWatch }) });
  const { app, address } = makeServer({ reach, port, log });
  addAccessLog(app, log);
  await addSecurityHeaders(app);
  const devices = signIn && makeDevices(signIn.formKey, `${signIn.gate.cookie}-device`);
  const know = holdTries(app, devices);
  await app.register(cookie);
  // The cookie's name has the port, because all ports of a host share cookies. It has the account, so that an old page of the
  // stand-in's console cannot act at the real service, where rows have the same names. `__Host-` binds the cookie to this host
  // and to HTTPS (RFC 6265bis, 4.1.3.2).
  const isHttps = reach.certificate !== undefined || reach.isProxy !== undefined;
  const cookieKey = `${isHttps ? '__Host-' : ''}limitline_csrf_${port}_${createHash('sha256')
    .update(given.account ?? '')
    .digest('hex')
    .slice(0, 8)}`;
  await app.register(csrfProtection, {
    cookieKey,
    // Not `strict`: a browser that follows a link from another site would send no cookie. The console would then set another one,
    // and the forms of all open pages would become invalid.
    cookieOpts: { path: '/', sameSite: 'lax', httpOnly: true, secure: isHttps || 'auto' },
    // A token belongs to one session; other sessions cannot use it (ASVS 3.5.1).
    csrfOpts: { hmacKey: signIn?.formKey ?? randomBytes(32) },
    getUserInfo: formUser,
    getToken: (request) => tokenOf(request.body, request.query, request.headers['csrf-token']),
  });
  await app.register(formbody, { bodyLimit: FORM_LIMIT_BYTES });
  // The rate limit counts the requests of a known person by name, from any address, and those of unknown people by network.
  await app.register(rateLimit, { global: false, keyGenerator: ({ person, ip }) => person.by || addressGroup(ip) });
  await app.register(fastifySSE, { heartbeatInterval: HEARTBEAT_MS });
  app.decorate('audit', given.audit ?? NO_AUDIT);
  app.decorateRequest('signedIn', undefined);
  const gate = signIn && makeSessionGate(signIn.gate);
  rememberWhoLooks(app);
  addAccess(app, {
    ...given,
    identify: given.identify ?? gate?.identify ?? (async () => undefined),
    audit: app.audit,
    table: given.table ?? ACCESS,
    places: given.places ?? PLACES,
  });
  const assets = serveAssets(app);
  addReplies(app, { assets, strip: hub.strip });
  askWhoWasLed(app);
  addErrorPages(app, log);
  addEvents(app, hub, { url: '/events', key: () => '', frame: async () => [] });
  if (signIn && gate && devices) addSignInPages(app, { ...signIn, gate, know, devices });
  given.pages(app, hub);
  app.addHook('preClose', async () => hub.close());
  return {
    app,
    /** The address under which people open the console. */
    url: address.url,
    listens: address.listens,
    /** @throws LimitlineError `USAGE` when the port is taken; Error for a route without an entry in the access table */
    async listen(): Promise<void> {
      await app.ready();
      await address.open();
    },
    /** Ends the event streams, waits for open requests, and closes. */
    close: async (): Promise<void> => {
      const late = setTimeout(() => app.server.closeAllConnections(), CLOSE_LIMIT_MS);
      await app.close();
      clearTimeout(late);
    },
  };
}

/** The sign-in of a console. Where others can reach the console, sign-in is needed even after the last user was removed. */
function signInFor(
  { signIn, identify }: { signIn?: SignInOptions } & Partial<AccessFunctions>,
  reach: Reach,
): SignInOptions | undefined {
  if (!reach.signIn) return signIn;
  if (!signIn && !identify) {
    throw new LimitlineError('SETTINGS', 'Others can reach the console, and it was given no way to sign in.');
  }
  return signIn && { ...signIn, gate: { ...signIn.gate, isNeeded: async () => true } };
}

const NO_AUDIT: AccessFunctions['audit'] = {
  note: async () => undefined,
  around: (_note, act) => act(),
  refusal: async () => undefined,
};

/** How long open requests may take while the console closes: enough for pages; a longer upload is cut off. */
const CLOSE_LIMIT_MS = 5_000;

/** The time between two heartbeats of an event stream. They reveal connections that a proxy or a sleeping computer has dropped. */
const HEARTBEAT_MS = 15_000;

/** A form's token: from its field, the browser module's header, or the query of a multipart form, whose fields arrive too late. */
function tokenOf(body: unknown, query: unknown, header: string | string[] | undefined): string | undefined {
  const texts = [fieldOf(body), header, fieldOf(query)];
  return texts.find((text): text is string => typeof text === 'string');
}

function fieldOf(fields: unknown): unknown {
  return typeof fields === 'object' && fields !== null && '_csrf' in fields ? fields._csrf : undefined;
}

/** Adds the methods by which pages answer. Browsers must not cache pages, since those show other people's data. */
function addReplies(
  app: ConsoleApp,
  { assets, strip }: { assets: Assets; strip: { fresh: () => Promise<StripState>; last: () => StripState } },
): void {
  // A page asks for its CSRF token several times. On a first visit each call of `generateCsrf` would make another secret: so the token is
  // kept.
  const tokens = new WeakMap<FastifyReply, string>();
  app.decorateReply('csrf', function csrf(this: FastifyReply) {
    const token = tokens.get(this) ?? this.generateCsrf({ userInfo: formUser(this.request) });
    tokens.set(this, token);
    return token;
  });
  app.decorateReply('fragment', function fragment(this: FastifyReply, piece: Html) {
    return this.header('cache-control', 'no-store').type('text/html; charset=utf-8').send(piece.markup);
  });
  app.decorateReply('pageNow', function pageNow(this: FastifyReply, parts: PageParts) {
    // Nothing more is sent: the page took too long, and an error page was sent already.
    if (this.sent) return this;
    if (wantsFragment(this.request)) return this.fragment(parts.body);
    const { person } = this.request;
    const rights = person.by === '' || parts.signedOut ? undefined : this.request.rights;
    return this.fragment(layout(parts, { assets, csrf: this.csrf(), strip: strip.last(), rights, person }));
  });
  app.decorateReply('page', async function page(this: FastifyReply, parts: PageParts) {
    if (!wantsFragment(this.request) && this.request.person.by !== '') await strip.fresh();
    return this.pageNow(parts);
  });
}

/**
 * Logs each request by its route and never by its address, which has portfolio names, row keys and search texts. Actions are
 * logged at `info`, reads at `debug`.
 */
function addAccessLog(app: FastifyInstance, log: Log): void {
  app.addHook('onResponse', async (request, reply) => {
    const { id, method, routeOptions } = request;
    const { action } = routeOptions.config;
    const facts = {
      request: id,
      method,
      route: routeOptions.url ?? 'none',
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
      ...(action === undefined ? {} : { action }),
    };
    if (action !== undefined) log.info(facts, 'an action was asked for');
    else log.debug(facts, 'a page was asked for');
  });
}

/** A digest of the session's token, which binds a form's token to the session without revealing the session's token. */
function formUser({ signedIn }: Pick<FastifyRequest, 'signedIn'>): string {
  return signedIn ? createHash('sha256').update(signedIn.token).digest('base64url') : 'nobody';
}
