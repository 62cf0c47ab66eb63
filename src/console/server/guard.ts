import type { IncomingHttpHeaders } from 'node:http';
import helmet from '@fastify/helmet';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isLoopback } from '../../addresses.ts';
import type { ConsoleApp } from '../console-app.ts';
import { html, t } from '../html/html.ts';
import { pageHead } from '../parts/blocks.ts';
import { linkButton } from '../parts/form.ts';
import { localReach, type Reach } from './reach.ts';
import { isHomeOf, type Refusal, type RequestClient, whoAsks } from './who-asks.ts';

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);

/** Methods that change nothing. */
const READING = new Set(['GET', 'HEAD']);

/** The parts of an HTTP request that the guard checks. */
type Asked = {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  from: string | undefined;
  port: number;
  /** The client addresses and names by which the console can be reached; by default this machine alone, by http. */
  reach?: Reach;
};

/** A request that passed the guard: its client, and the origin of the console that it used. */
type LetIn = RequestClient & { origin: string };

const LOCAL = localReach('127.0.0.1');

/**
 * Checks a request before anything else is done. Answers where it comes from, or why it is refused:
 *
 * - It must come from this machine without a proxy, or from where the settings allow (who-asks.ts).
 * - Its host must be a name of the console, since any other name is DNS rebinding. That is the name of `CONSOLE_URL`, and for
 *   requests of this machine without a proxy also the machine's own names.
 * - A change must come from the console's own page (`Origin`, and `Sec-Fetch-Site` where sent). A read must come from there or
 *   be a navigation, so that other pages cannot load parts of the console.
 */
export function lookAt({ method, url, headers, from, port, reach = LOCAL }: Asked): LetIn | Refusal {
  const client = whoAsks({ headers, from }, reach);
  if ('status' in client) return client;
  const origin = originOf({ headers, port, client }, reach);
  if (origin === undefined || !url.startsWith('/')) {
    return { status: 421, words: t`The console answers under ${ourNames(reach, port)} only.` };
  }
  if (!METHODS.has(method)) return { status: 405, words: t`${method} is not known here.` };
  const refusal = READING.has(method) ? refusalOfReading(headers) : refusalOfChange(headers, origin);
  return refusal ?? { ...client, origin };
}

/** The console's origin that a request used; undefined for a name that is not the console's, or not for this client. */
function originOf(
  { headers, port, client }: { headers: IncomingHttpHeaders; port: number; client: RequestClient },
  { home, isProxy, certificate }: Reach,
): string | undefined {
  const { host = '' } = headers;
  // A proxy in front of the console forwards every request. One that has the proxy's name and was not forwarded is refused.
  if (isHomeOf(home, host) && client.isPassedOn === (isProxy !== undefined)) return home?.origin;
  if (
    client.isPassedOn ||
    !isLoopback(client.address) ||
    !isOurName(host, port, certificate ? HTTPS_PORT : HTTP_PORT)
  ) {
    return undefined;
  }
  return `${certificate ? 'https' : 'http'}://${host.toLowerCase()}`;
}

/** Whether the host is localhost or a loopback address, which no foreign DNS can claim, with the console's port. */
function isOurName(host: string, port: number, leftOut: string): boolean {
  const name = OUR_NAME.exec(host);
  return name !== null && (name[1] ?? leftOut) === String(port);
}

const OUR_NAME = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::(\d{1,5}))?$/i;

/** The default ports, which browsers leave out of `Host`. */
const HTTP_PORT = '80';
const HTTPS_PORT = '443';

function ourNames({ home, certificate }: Reach, port: number): string {
  if (home) return home.origin;
  const scheme = certificate ? 'https' : 'http';
  return `${scheme}://127.0.0.1:${port} and ${scheme}://localhost:${port}`;
}

function refusalOfReading(headers: IncomingHttpHeaders): Refusal | undefined {
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return undefined;
  // A link on another site may lead to a page of the console, since that site cannot read the page.
  if (headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document') return undefined;
  return { status: 403, words: t`Another site asked for this, and only pages of this console may.` };
}

function refusalOfChange(headers: IncomingHttpHeaders, origin: string): Refusal | undefined {
  const site = headers['sec-fetch-site'];
  const isOurs = headers.origin === origin && (site === undefined || site === 'same-origin');
  if (isOurs) return undefined;
  return { status: 403, words: t`This was not sent by a page of this console, so nothing was done.` };
}

/** Refuses every request to which {@link lookAt} objects. */
export function addGuard(app: FastifyInstance, { port, reach }: { port: () => number; reach: Reach }): void {
  app.decorateRequest('origin', '');
  app.addHook('onRequest', async (request: FastifyRequest, reply) => {
    const { method, url, headers, headersDistinct } = request.raw;
    const from = request.socket.remoteAddress;
    // With two Host headers, proxy and server may each take another (RFC 9112, section 3.2).
    const isAskedTwice = (headersDistinct.host?.length ?? 0) > 1;
    const found = isAskedTwice
      ? { status: 400, words: t`The request names two hosts.` }
      : lookAt({ method: method ?? '', url: url ?? '', headers, from, port: port(), reach });
    if (!('status' in found)) {
      // From this line on `request.ip` is the checked address, and no other header of a proxy is read.
      if (found.isPassedOn) headers['x-forwarded-for'] = found.address;
      request.origin = found.origin;
      return;
    }
    if (found.status === 405) reply.header('allow', 'GET, HEAD, POST');
    reply.header('connection', 'close');
    return sayPlainly(reply, found.status, found.words);
  });
}

/** Answers with plain text: for requests that are refused before their person is known, and for unreadable addresses. */
export function sayPlainly(reply: FastifyReply, status: number, words: string): FastifyReply {
  return reply
    .code(status)
    .header('cache-control', 'no-store')
    .header('x-content-type-options', 'nosniff')
    .type('text/plain; charset=utf-8')
    .send(`${words}\n`);
}

/**
 * Adds the headers for security. The content policy allows scripts, styles, pictures and forms of the console's own origin alone (pictures
 * also inline), no inline scripts and no frames. Other sites get no referrer, since the address of a page names a portfolio. The console
 * itself gets one: with `no-referrer`, browsers would send forms with `Origin: null`, whose source cannot be checked.
 */
export async function addSecurityHeaders(app: ConsoleApp): Promise<void> {
  await app.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        'default-src': ["'none'"],
        'object-src': ["'none'"],
        'script-src': ["'self'"],
        'style-src': ["'self'"],
        'img-src': ["'self'", 'data:'],
        'font-src': ["'none'"],
        'connect-src': ["'self'"],
        'form-action': ["'self'"],
        'frame-ancestors': ["'none'"],
        'base-uri': ["'none'"],
      },
    },
    referrerPolicy: { policy: 'same-origin' },
    crossOriginOpenerPolicy: { policy: 'same-origin' },
    crossOriginResourcePolicy: { policy: 'same-origin' },
    frameguard: { action: 'deny' },
    // make-server.ts sets this header, on refusals too and only for the console's own name.
    strictTransportSecurity: false,
  });
  app.addHook('onRequest', async (_request, reply) => {
    reply
      .header('permissions-policy', 'camera=(), geolocation=(), microphone=(), payment=(), usb=()')
      // Answers hold data that belong to somebody, so caches must not keep them. The files of assets.ts set another header.
      .header('cache-control', 'no-store');
  });
}

/** Pages that {@link askWhoWasLed} lets pass: links on other sites commonly lead to them, and they have no buttons. */
const OPEN = new Set(['/', '/keys']);

/**
 * The address to which identity providers send browsers back. {@link askWhoWasLed} lets it pass, since the sign-in checks query and cookie.
 */
const CALLBACK = '/sign-in/oidc/callback';

/** Whether a page of another site led the browser to the console. A typed address, or one that another program opened, does not count. */
export function isLedByOthers(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  return headers['sec-fetch-mode'] === 'navigate' && (site === 'cross-site' || site === 'same-site');
}

/**
 * Asks for a click before it shows a page to which another site led. That site cannot read or frame the page, but could open
 * one with a confirm button just under the person's second click. The click then meets only a link.
 */
export function askWhoWasLed(app: ConsoleApp): void {
  app.addHook('onRequest', async (request, reply) => {
    const { headers, url = '/' } = request.raw;
    if (OPEN.has(url) || url.startsWith(`${CALLBACK}?`) || !isLedByOthers(headers)) return;
    return reply.pageNow({
      title: t`Another site led here`,
      body: html`${pageHead({
        title: t`Another site led here`,
        lead: html`A link on another site leads to <bdi>${url.slice(0, SHOWN)}</bdi>. Nothing was done. Go on if that is where you want to be.`,
      })}
      <p>${linkButton({ href: url, words: t`Go on` })}</p>`,
    });
  });
}

/** The most characters of an address that {@link askWhoWasLed} shows. */
const SHOWN = 200;
