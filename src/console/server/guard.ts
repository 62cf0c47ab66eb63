import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isLoopback } from './listen.ts';

/** Who says no, and why; the words go to whoever asked. */
export type Refusal = { status: 400 | 403 | 405 | 421; words: string };

/** Methods that the console knows at all. The others are for proxies, or for nobody. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);

/** These change nothing. */
const READING = new Set(['GET', 'HEAD']);

/** What a proxy adds. One in front would make everybody come from this machine, so none may be there while there are no users. */
const FORWARDED = /^(?:x-forwarded-|forwarded$|x-real-ip$|x-original-|via$|cf-connecting-ip$|true-client-ip$)/;

/** What is looked at; of a request that came over HTTP. */
type Asked = { method: string; url: string; headers: IncomingHttpHeaders; from: string | undefined; port: number };

/**
 * Whether a request may be looked at, before anything is done for it. Undefined, or why not:
 *
 * - it must come from this machine, under a name of this machine: another name that leads here is DNS rebinding;
 * - through no proxy;
 * - from a page of ours, where it changes anything (`Origin`, and `Sec-Fetch-Site` where the browser sends it), and where it
 *   only reads, from a page of ours or by the person's own hand: other pages cannot load pieces of this one.
 */
export function refusalOf({ method, url, headers, from, port }: Asked): Refusal | undefined {
  if (!isLoopback(from)) return { status: 403, words: 'The console answers on this machine only.' };
  const forwarded = Object.keys(headers).find((name) => FORWARDED.test(name));
  if (forwarded !== undefined) {
    return {
      status: 403,
      words: `The request came through a proxy (${forwarded}), and the console has no users yet that it could ask who this is. Open it on the machine itself, or by a tunnel such as ssh -L.`,
    };
  }
  if (!isOurName(headers.host ?? '', port) || !url.startsWith('/')) {
    return {
      status: 421,
      words: `The console answers under http://127.0.0.1:${port} and http://localhost:${port} only.`,
    };
  }
  if (!METHODS.has(method)) return { status: 405, words: `${method} is not known here.` };
  return READING.has(method) ? refusalOfReading(headers) : refusalOfChange(headers);
}

/** A name that no other's DNS can give away: this machine's own, or a loopback address in figures; and our port. */
function isOurName(host: string, port: number): boolean {
  const name = OUR_NAME.exec(host);
  return name !== null && (name[1] ?? HTTP_PORT) === String(port);
}

const OUR_NAME = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::(\d{1,5}))?$/i;

/** Left out of addresses. */
const HTTP_PORT = '80';

function refusalOfReading(headers: IncomingHttpHeaders): Refusal | undefined {
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return undefined;
  // A link on another page may lead here; that page sees nothing of it.
  if (headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document') return undefined;
  return { status: 403, words: 'Another site asked for this, and only pages of this console may.' };
}

function refusalOfChange(headers: IncomingHttpHeaders): Refusal | undefined {
  const site = headers['sec-fetch-site'];
  const isOurs = headers.origin === `http://${headers.host}` && (site === undefined || site === 'same-origin');
  if (isOurs) return undefined;
  return { status: 403, words: 'This was not sent by a page of this console, so nothing was done.' };
}

/** Lets no request in that {@link refusalOf} finds something against. */
export function addGuard(app: FastifyInstance, { port }: { port: () => number }): void {
  app.addHook('onRequest', async (request: FastifyRequest, reply) => {
    const { method, url, headers } = request.raw;
    const asked = { method: method ?? '', url: url ?? '', headers, from: request.socket.remoteAddress, port: port() };
    const refusal = refusalOf(asked);
    if (!refusal) return;
    if (refusal.status === 405) reply.header('allow', 'GET, HEAD, POST');
    reply.header('connection', 'close');
    return sayPlainly(reply, refusal.status, refusal.words);
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
