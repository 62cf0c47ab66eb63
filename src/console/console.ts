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
import { ACCESS } from './access/access-table.ts';
import { type AccessFunctions, addAccess } from './access/add-access.ts';
import type { ConsoleApp } from './console-app.ts';
import { addEvents } from './events/add-events.ts';
import { type Hub, makeHub } from './events/hub.ts';
import type { Html } from './html/html.ts';
import { type Assets, layout, type PageParts, type Strip, type StripState, wantsFragment } from './layout/layout.ts';
import { rememberWhoLooks } from './privacy/who-looks.ts';
import { serveAssets } from './server/assets.ts';
import { addErrorPages } from './server/error-pages.ts';
import { addSecurityHeaders, askWhoWasLed } from './server/guard.ts';
import { FORM_LIMIT_BYTES, makeServer } from './server/make-server.ts';
import { localReach, type Reach } from './server/reach.ts';
import { addSignInPages, type SignInOptions } from './sign-in/add-sign-in-pages.ts';
import { holdTries } from './sign-in/hold-tries.ts';
import { makeMayWatch, makeSessionGate } from './sign-in/make-gate.ts';
import { makeDevices } from './sign-in/session-cookie.ts';

/**
 * The web console: pages, actions and events.
 *
 * @param given.host loopback, where `reach` does not say how others reach it safely
 * @param given.port 0 takes any that is free
 * @param given.account whose ledger the pages show: what a page of another one sends is too old
 * @param given.strip what every page says on top; asked for twice a second while a page is open
 * @param given.pages adds the pages, see pages/index.ts
 * @param given.reach from where and by which names it is reached, see server/reach.ts; without one, from this machine alone
 * @param given.signIn how people sign in; without it and `identify` nobody is let in
 * @param given.identify who asks, in place of what their session says: the one way in which the console learns who asks, see access/add-access.ts
 * @param given.audit where what is done is written down; without one it is written nowhere
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
  // Where it is not the session that says who asks, none says who may go on watching.
  const mayWatch = signIn && !given.identify ? makeMayWatch(signIn.gate) : undefined;
  const hub = makeHub({ strip: given.strip, log, ...(mayWatch && { mayWatch }) });
  const { app, address } = makeServer({ reach, port, log });
  addAccessLog(app, log);
  await addSecurityHeaders(app);
  const devices = signIn && makeDevices(signIn.formKey, `${signIn.gate.cookie}-device`);
  const know = holdTries(app, devices);
  await app.register(cookie);
  // By its port, since cookies of one host are shared by all of its ports; and by its account, since a page that was opened
  // while this address was the stand-in's console must not act at the service, where the same rows have the same names.
  // Where all pages come by https browsers hold to its prefix: of this host and no other, and by https only (RFC 6265bis, 4.1.3.2).
  const isHttps = reach.certificate !== undefined || reach.isProxy !== undefined;
  const cookieKey = `${isHttps ? '__Host-' : ''}limitline_csrf_${port}_${createHash('sha256')
    .update(given.account ?? '')
    .digest('hex')
    .slice(0, 8)}`;
  await app.register(csrfProtection, {
    cookieKey,
    // Not `strict`: behind a link on another site it would be left out, and the new one make every page that is open too old.
    cookieOpts: { path: '/', sameSite: 'lax', httpOnly: true, secure: isHttps || 'auto' },
    // A token is one session's: what was made for another, or for nobody, is worth nothing (ASVS 3.5.1).
    csrfOpts: { hmacKey: signIn?.formKey ?? randomBytes(32) },
    getUserInfo: formUser,
    getToken: (request) => tokenOf(request.body, request.query, request.headers['csrf-token']),
  });
  await app.register(formbody, { bodyLimit: FORM_LIMIT_BYTES });
  // Whoever has many addresses is one person; who is nobody yet is counted by the network.
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
  });
  const assets = await serveAssets(app);
  addReplies(app, { assets, strip: hub.strip });
  askWhoWasLed(app);
  addErrorPages(app, log);
  addEvents(app, hub, { url: '/events', key: () => '', frame: async () => [] });
  if (signIn && gate && devices) addSignInPages(app, { ...signIn, gate, know, devices });
  given.pages(app, hub);
  app.addHook('preClose', async () => hub.close());
  return {
    app,
    /** Under which people open it. */
    url: address.url,
    /** On which address it listens. */
    listens: address.listens,
    /** @throws LimitlineError `USAGE` when the port is taken; Error for a route that nobody has decided about */
    async listen(): Promise<void> {
      await app.ready();
      await address.open();
    },
    /** Ends the event streams, lets requests that are under way finish, and closes. */
    close: async (): Promise<void> => {
      const late = setTimeout(() => app.server.closeAllConnections(), CLOSE_LIMIT_MS);
      await app.close();
      clearTimeout(late);
    },
  };
}

/** Where others can reach the console everybody has to be known, also when its last user was removed meanwhile. */
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

/** Pages are done by then; an upload that still goes on is cut off. */
const CLOSE_LIMIT_MS = 5_000;

/** A proxy or a sleeping computer shows by its silence. */
const HEARTBEAT_MS = 15_000;

/** A form's field; a header for the browser's module; the query for forms with files, whose fields come too late. */
function tokenOf(body: unknown, query: unknown, header: string | string[] | undefined): string | undefined {
  const texts = [fieldOf(body), header, fieldOf(query)];
  return texts.find((text): text is string => typeof text === 'string');
}

function fieldOf(fields: unknown): unknown {
  return typeof fields === 'object' && fields !== null && '_csrf' in fields ? fields._csrf : undefined;
}

/** Gives each reply the ways in which pages answer. No page is kept by a browser: it shows other people's data. */
function addReplies(
  app: ConsoleApp,
  { assets, strip }: { assets: Assets; strip: { fresh: () => Promise<StripState>; last: () => StripState } },
): void {
  // One for the whole answer: a first visit has no secret yet, and each call would make another.
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
    // It took too long, and the person was told so meanwhile.
    if (this.sent) return this;
    if (wantsFragment(this.request)) return this.fragment(parts.body);
    const { person } = this.request;
    const rights = person.by === '' ? undefined : this.request.rights;
    return this.fragment(layout(parts, { assets, csrf: this.csrf(), strip: strip.last(), rights, person }));
  });
  app.decorateReply('page', async function page(this: FastifyReply, parts: PageParts) {
    if (!wantsFragment(this.request) && this.request.person.by !== '') await strip.fresh();
    return this.pageNow(parts);
  });
}

/**
 * Says in the log what was asked for, by the pattern of its address and never by the address: names of portfolios, keys of
 * rows and what somebody looked for stand in that. What changes something is said at `info`, what only reads at `debug`.
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

/** Whose forms are whose: a text that stands for the session, and does not give its token away. */
function formUser({ signedIn }: Pick<FastifyRequest, 'signedIn'>): string {
  return signedIn ? createHash('sha256').update(signedIn.token).digest('base64url') : 'nobody';
}
