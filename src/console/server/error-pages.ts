import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { isLimitlineError, messageOf } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { isRefusedAsFull } from '../../redis-memory/memory.ts';
import { placesOf } from '../access/access.ts';
import { type ConsoleApp, ConsoleError } from '../console-app.ts';
import { html, safeAddress, t } from '../html/html.ts';
import { wantsFragment } from '../layout/layout.ts';
import { notice } from '../parts/blocks.ts';
import { advice } from '../parts/text.ts';

/** An error as a person sees it; with `comesBack` the page reloads itself. */
export type Trouble = { status: number; title: string; words: string; comesBack: boolean };

/** The seconds after which the browser reloads an error page while Redis is away. */
const TRY_AGAIN_S = 3;

/** The messages of ioredis for a command without an answer, and of Redis for a command that it refuses now. */
const REDIS_AWAY =
  /^(?:Command timed out|Command aborted due to connection close|Connection is closed|Socket timeout|Stream isn't writeable|READONLY|LOADING|MISCONF|OOM|CLUSTERDOWN|TRYAGAIN|MASTERDOWN|ERR Error running script .* -(?:READONLY|MISCONF|OOM))/;

/** The messages of the parser of forms with files for a body that was cut off on its way or is no such form. */
const BROKEN_FORM = /^(?:Multipart: Boundary not found|Unexpected end of multipart data)$/;

/** The status and the words by which a person is told of an error, without details from libraries. */
export function troubleOf(error: unknown): Trouble {
  if (error instanceof ConsoleError) {
    return { status: error.statusCode, title: titleOf(error.statusCode), words: error.message, comesBack: false };
  }
  if (isLimitlineError(error, 'NOT_FOUND')) {
    return { status: 404, title: titleOf(404), words: error.message, comesBack: false };
  }
  if (isLimitlineError(error, 'USAGE', 'FILE')) {
    return { status: 422, title: titleOf(422), words: error.message, comesBack: false };
  }
  const isBroken = error instanceof Error && BROKEN_FORM.test(error.message);
  const { code = '', statusCode = isBroken ? 400 : 500 } = (error ?? {}) as Partial<FastifyError>;
  if (isRefusedAsFull(error)) return { status: 503, title: titleOf(503), words: FULL, comesBack: false };
  if (isAway(error)) return { status: 503, title: titleOf(503), words: AWAY, comesBack: true };
  if (statusCode >= 400 && statusCode < 500) {
    const words = WORDS[statusCode] ?? t`The console could not read what was sent.`;
    return {
      status: statusCode,
      title: titleOf(statusCode),
      words: code.startsWith('FST_CSRF') ? STALE : words,
      comesBack: false,
    };
  }
  return { status: 500, title: titleOf(500), words: OURS, comesBack: false };
}

/** Whether the error means that Redis does not answer, or not within a page's time. */
export function isAway(error: unknown): boolean {
  if (isLimitlineError(error, 'REDIS')) return true;
  if (!(error instanceof Error)) return false;
  const { code, syscall } = error as NodeJS.ErrnoException;
  return code === 'FST_ERR_HANDLER_TIMEOUT' || REDIS_AWAY.test(error.message) || CONNECTING.test(`${syscall} ${code}`);
}

/** How messages begin about a socket that broke, or could not be opened. */
const CONNECTING = /^(?:connect|read|write) E/;

const AWAY = t`The database (Redis) does not answer, so nothing can be shown or done just now. Your rows are safe, nothing is sent meanwhile, and this page comes back by itself.`;
const FULL = t`The memory of the database (Redis) is full, so this was not done. An operator has to raise its limit or archive finished portfolios. Pages and reports can be read meanwhile.`;
const OURS = t`This is an error in Limitline. Tell an operator the number below: the log has the details.`;
const STALE = t`The page that this was sent from is too old. Go back, load it again, and repeat what you did. Nothing was done.`;

const WORDS: Readonly<Record<number, string>> = {
  400: t`The address or the form cannot be read.`,
  403: t`This is not allowed.`,
  404: t`There is nothing under this address.`,
  405: t`This address cannot be used in that way.`,
  413: t`What was sent is too large. Nothing was kept of it.`,
  415: t`This format is not accepted here.`,
  429: t`Too many requests in a short time. Wait a minute, then try again.`,
};

const TITLES: Readonly<Record<number, string>> = {
  400: t`This cannot be read`,
  403: t`Not allowed`,
  404: t`Not found`,
  405: t`Not possible`,
  409: t`Something has changed`,
  413: t`Too large`,
  415: t`This cannot be read`,
  422: t`This cannot be done`,
  429: t`Too much at once`,
  500: t`Something went wrong`,
  503: t`Not available just now`,
  507: t`The disk is full`,
};

const titleOf = (status: number): string => TITLES[status] ?? t`This cannot be done`;

/** Answers every error with a page. A fault of the console is logged under the number that the page shows. */
export function addErrorPages(app: ConsoleApp, log: Log): void {
  const answer = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const trouble = troubleOf(error);
    if (trouble.status === 500)
      log.error({ request: request.id, err: error }, 'the console could not answer a request');
    if (trouble.status === 503) log.debug({ request: request.id, reason: messageOf(error) }, 'Redis is away');
    return sayTrouble(trouble, request, reply);
  };
  app.setErrorHandler(answer);
  const pageOfForm = makePageOfForm(app);
  app.setNotFoundHandler((request, reply) => {
    const page = ['GET', 'HEAD'].includes(request.method) ? pageOfForm(request.url) : undefined;
    return page ? reply.redirect(page) : answer(new ConsoleError(404, WORDS[404] ?? ''), request, reply);
  });
}

/**
 * Finds the page above an address that forms alone are sent to: a browser reads such an address when somebody opens it from its history.
 * Answers undefined for any other address. Call this before the routes are registered.
 */
function makePageOfForm(app: ConsoleApp): (url: string) => string | undefined {
  const [pages, forms]: [RegExp[], RegExp[]] = [[], []];
  app.addHook('onRoute', ({ method, url }) => {
    const pattern = new RegExp(`^${url.replace(/:\w+/g, '[^/]+').replace('*', '.*')}$`);
    for (const one of [method].flat()) {
      if (one === 'GET') pages.push(pattern);
      if (one === 'POST') forms.push(pattern);
    }
  });
  return (url) => {
    const [path = ''] = url.split('?');
    if (!forms.some((form) => form.test(path))) return undefined;
    const places = path.split('/');
    const above = places.map((_place, at) => places.slice(0, places.length - 1 - at).join('/'));
    return above.find((page) => page !== '' && pages.some((pattern) => pattern.test(page))) ?? '/';
  };
}

/**
 * Answers an error with its page. The function is not async, since Fastify itself would answer an error that comes while another
 * error is answered.
 */
function sayTrouble({ status, title, words, comesBack }: Trouble, request: FastifyRequest, reply: FastifyReply) {
  reply.code(status);
  const reads = request.method === 'GET' || request.method === 'HEAD';
  if (comesBack && reads) reply.header('refresh', String(TRY_AGAIN_S)).header('retry-after', String(TRY_AGAIN_S));
  const from = sentFrom(request);
  if (wantsFragment(request)) {
    // Otherwise the page is as it was, with what was typed there.
    const isOld = status === 409 && from !== undefined;
    const again = isOld && html`<a class="button is-primary" href="${from}">Load the page again</a>`;
    return reply.fragment(html`${notice('bad', advice(words), { title: `${title}.`, urgent: true })}
      <div class="actions">${again}<a class="button is-${isOld ? 'quiet' : 'plain'}" href="${from ?? '/'}" data-close>Back</a></div>`);
  }
  const back = reads ? undefined : from;
  const [place] = placesOf(request.rights);
  return reply.pageNow({
    title,
    body: html`<div class="trouble">
      <h1>${title}</h1>
      <p>${advice(words)}</p>
      ${status === 500 && html`<p>Number of the request: <code>${request.id}</code></p>`}
      <p>${back !== undefined && html`<a class="button is-primary" href="${back}">Back</a> `}${place && html`<a class="button" href="${place.href}">To ${place.at === 'portfolios' ? t`the portfolios` : place.words}</a>`}</p>
      <p class="trouble-status">Status ${status}</p>
    </div>`,
  });
}

/** The console's page whose form was sent, where the browser names it in `referer`. */
function sentFrom({ headers }: FastifyRequest): string | undefined {
  const from = URL.parse(headers.referer ?? '');
  if (!from || from.host !== headers.host) return undefined;
  const path = `${from.pathname}${from.search}`;
  return path.startsWith('/') && safeAddress(path) ? path : undefined;
}
