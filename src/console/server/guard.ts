import type { IncomingHttpHeaders } from 'node:http';
import helmet from '@fastify/helmet';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isLoopback } from '../../addresses.ts';
import type { ConsoleApp } from '../console-app.ts';
import { html } from '../html/html.ts';
import { linkButton } from '../parts/form.ts';
import { pageHead } from '../parts/page-head.ts';
import { localReach, type Reach } from './reach.ts';
import { type Comer, isHomeOf, type Refusal, whoAsks } from './who-asks.ts';

/** Methods that the console knows at all. The others are for proxies, or for nobody. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);

/** These change nothing. */
const READING = new Set(['GET', 'HEAD']);

/** What is looked at; of a request that came over HTTP. */
type Asked = {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  from: string | undefined;
  port: number;
  /** Without one: this machine alone, by http. */
  reach?: Reach;
};

/** A request that may be looked at: who asks, and of which of our origins. */
export type LetIn = Comer & { origin: string };

const LOCAL = localReach('127.0.0.1');

/** {@link lookAt}'s refusal, if there is one. */
export function refusalOf(asked: Asked): Refusal | undefined {
  const found = lookAt(asked);
  return 'status' in found ? found : undefined;
}

/**
 * Whether a request may be looked at, before anything is done for it. Who asks and where, or why not:
 *
 * - it must come from this machine, through no proxy; or from where the settings say (who-asks.ts);
 * - under a name of ours: another name that leads here is DNS rebinding. Ours are the one of `CONSOLE_URL`, and to who is on
 *   this machine and came through no proxy, this machine's own;
 * - from a page of ours, where it changes anything (`Origin`, and `Sec-Fetch-Site` where the browser sends it), and where it
 *   only reads, from a page of ours or by the person's own hand: other pages cannot load pieces of this one.
 */
export function lookAt({ method, url, headers, from, port, reach = LOCAL }: Asked): LetIn | Refusal {
  const comer = whoAsks({ headers, from }, reach);
  if ('status' in comer) return comer;
  const origin = originOf({ headers, port, comer }, reach);
  if (origin === undefined || !url.startsWith('/')) {
    return { status: 421, words: `The console answers under ${ourNames(reach, port)} only.` };
  }
  if (!METHODS.has(method)) return { status: 405, words: `${method} is not known here.` };
  const refusal = READING.has(method) ? refusalOfReading(headers) : refusalOfChange(headers, origin);
  return refusal ?? { ...comer, origin };
}

/** The origin of ours that is asked; undefined for a name that is not ours, or not to who asks. */
function originOf(
  { headers, port, comer }: { headers: IncomingHttpHeaders; port: number; comer: Comer },
  { home, isProxy, certificate }: Reach,
): string | undefined {
  const { host = '' } = headers;
  // What is in front passes everything on as a proxy does, so who comes by its name did not come through it.
  if (isHomeOf(home, host) && comer.isPassedOn === (isProxy !== undefined)) return home?.origin;
  if (comer.isPassedOn || !isLoopback(comer.address) || !isOurName(host, port, certificate ? HTTPS_PORT : HTTP_PORT)) {
    return undefined;
  }
  return `${certificate ? 'https' : 'http'}://${host.toLowerCase()}`;
}

/** A name that no other's DNS can give away: this machine's own, or a loopback address in figures; and our port. */
function isOurName(host: string, port: number, leftOut: string): boolean {
  const name = OUR_NAME.exec(host);
  return name !== null && (name[1] ?? leftOut) === String(port);
}

const OUR_NAME = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::(\d{1,5}))?$/i;

/** Left out of addresses. */
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
  // A link on another page may lead here; that page sees nothing of it.
  if (headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document') return undefined;
  return { status: 403, words: 'Another site asked for this, and only pages of this console may.' };
}

function refusalOfChange(headers: IncomingHttpHeaders, origin: string): Refusal | undefined {
  const site = headers['sec-fetch-site'];
  const isOurs = headers.origin === origin && (site === undefined || site === 'same-origin');
  if (isOurs) return undefined;
  return { status: 403, words: 'This was not sent by a page of this console, so nothing was done.' };
}

/** Lets no request in that {@link lookAt} finds something against. */
export function addGuard(app: FastifyInstance, { port, reach }: { port: () => number; reach: Reach }): void {
  app.decorateRequest('origin', '');
  app.addHook('onRequest', async (request: FastifyRequest, reply) => {
    const { method, url, headers, headersDistinct } = request.raw;
    const from = request.socket.remoteAddress;
    // Which of two names is meant, everybody on the way may see otherwise (RFC 9112, section 3.2).
    const isAskedTwice = (headersDistinct.host?.length ?? 0) > 1;
    const found = isAskedTwice
      ? { status: 400, words: 'The request names two hosts.' }
      : lookAt({ method: method ?? '', url: url ?? '', headers, from, port: port(), reach });
    if (!('status' in found)) {
      // From here on nobody can read anything else out of what the proxies wrote: `request.ip` is this address.
      if (found.isPassedOn) headers['x-forwarded-for'] = found.address;
      request.origin = found.origin;
      return;
    }
    if (found.status === 405) reply.header('allow', 'GET, HEAD, POST');
    reply.header('connection', 'close');
    return sayPlainly(reply, found.status, found.words);
  });
}

/** Words without a page, for whoever is not let in, and for what is no address at all: nothing else was looked at by then. */
export function sayPlainly(reply: FastifyReply, status: number, words: string): FastifyReply {
  return reply
    .code(status)
    .header('cache-control', 'no-store')
    .header('x-content-type-options', 'nosniff')
    .type('text/plain; charset=utf-8')
    .send(`${words}\n`);
}

/**
 * What a browser may do with our pages: load scripts, styles and pictures from here and run nothing that stands in them,
 * send forms only here, be shown in no frame. The address of a page names a portfolio, so other sites are not told it; to
 * ourselves it is, since with `no-referrer` a browser sends `Origin: null` with forms and nobody could tell whose they are.
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
    // On what is refused before these headers too, and not for every name: make-server.ts.
    strictTransportSecurity: false,
  });
  app.addHook('onRequest', async (_request, reply) => {
    reply
      .header('permissions-policy', 'camera=(), geolocation=(), microphone=(), payment=(), usb=()')
      // All but the files that pages are made of is somebody's data, or tells whether there is such (assets.ts says otherwise).
      .header('cache-control', 'no-store');
  });
}

/** Without buttons, and where links to the console lead as a rule. */
const OPEN = new Set(['/', '/keys']);

/** Where identity providers send browsers back to; what comes with it is held against what this browser was given. */
const CALLBACK = '/sign-in/oidc/callback';

/** Whether a page of another site sent the browser here; what a person typed, or opened from another program, is no site's. */
export function isLedByOthers(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  return headers['sec-fetch-mode'] === 'navigate' && (site === 'cross-site' || site === 'same-site');
}

/**
 * Asks before it shows a page to which another site led. Such a site sees nothing of ours and cannot show it in a frame, but it
 * can bring a page with a yes on it under a mouse that is about to click a second time. Here the click meets a link.
 */
export function askWhoWasLed(app: ConsoleApp): void {
  app.addHook('onRequest', async (request, reply) => {
    const { headers, url = '/' } = request.raw;
    if (OPEN.has(url) || url.startsWith(`${CALLBACK}?`) || !isLedByOthers(headers)) return;
    return reply.pageNow({
      title: 'Another site led here',
      body: html`${pageHead({
        title: 'Another site led here',
        lead: html`A link on another site leads to <bdi>${url.slice(0, SHOWN)}</bdi>. Nothing was done. Go on if that is where you want to be.`,
      })}
      <p>${linkButton({ href: url, words: 'Go on' })}</p>`,
    });
  });
}

/** Enough to know an address by. */
const SHOWN = 200;
