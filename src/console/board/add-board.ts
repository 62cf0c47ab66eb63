import { createBullBoard } from '@bull-board/api';
import { FastifyAdapter } from '@bull-board/fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { rowOf } from '../../queue/queue-looks.ts';
import { QUEUES } from '../../queue/queues.ts';
import { OPERATOR } from '../access/access.ts';
import { ACTION_WORDS } from '../actions/action-words.ts';
import { recorded } from '../actions/add-action.ts';
import { type ConsoleApp, ConsoleError } from '../console-app.ts';
import { page } from '../pages/page.ts';
import { type BoardFunctions, boardQueue, pressedBy } from './board-queue.ts';

/** The address of BullMQ's board; the console's own page about queues is `/work`. */
const AT = '/queues';

/** The cookie and the header by which axios, a library in the board's script, reads the CSRF token and sends it with changes. */
const TOKEN_COOKIE = 'XSRF-TOKEN';
const TOKEN_HEADER = 'x-xsrf-token';

/**
 * BullMQ's board under `/queues`, which shows the details of jobs. It exists where the setting `QUEUE_BOARD` is on. It may read
 * queues, and retry single rows by Limitline's own function. {@link DECIDED_ROUTES} says which of its routes may be used at all;
 * the access rules in this declaration say by whom. The console's guard, CSRF token and audit apply to the board too.
 */
export const jobsBoard = page<BoardFunctions>({}, ({ other }) => [
  other(
    {
      'GET /queues': OPERATOR,
      'GET /queues/*': OPERATOR,
      'POST /queues/*': OPERATOR,
      'PUT /queues/*': OPERATOR,
      'PATCH /queues/*': OPERATOR,
    },
    addBoard,
  ),
]);

function addBoard(app: ConsoleApp, given: BoardFunctions): void {
  if (!given.isOn) return;
  const adapter = new FastifyAdapter();
  adapter.setBasePath(AT);
  keepOurWords(adapter, given);
  createBullBoard({
    queues: QUEUES.map((name) => boardQueue(name, given)),
    serverAdapter: adapter,
    options: {
      uiConfig: {
        boardTitle: 'Limitline queues',
        miscLinks: [{ text: 'Back to Limitline', url: '/work' }],
        hideDocsLink: true,
        hideRedisDetails: true,
        showWorkers: false,
        showMetrics: false,
        sortQueues: false,
        locale: { lng: 'en-GB' },
      },
      handlerHooks: {
        before: async ({ method, route }) => {
          const answer = mayOnBoard(method, route);
          return answer === true ? { allow: true } : { allow: false, status: 403, message: answer };
        },
      },
    },
  });
  app.register(
    async (board) => {
      addRules(board);
      recordChanges(board);
      await board.register(adapter.registerPlugin());
    },
    { prefix: AT },
  );
}

/**
 * Records in the audit trail each change that is made on the board, by one entry before it and one after, as for all actions of
 * the console.
 */
function recordChanges(board: FastifyInstance): void {
  const trail = recorded(board.audit, ({ request, params }) => {
    const { portfolio, key } = rowOf(params.jobId ?? '');
    return { by: request.person.by, what: ACTION_WORDS.retry, from: request.ip, about: portfolio, facts: { row: key } };
  });
  board.addHook('onRoute', (route) => {
    const { handler, url } = route;
    // The board registers each route with a list of one method.
    const methods = [route.method].flat();
    const isReading = methods.every((method) => method === 'GET' || method === 'HEAD');
    if (isReading || !methods.some((method) => mayOnBoard(method, url.slice(AT.length)) === true)) return;
    route.onSend = trail.beforeAnswer;
    route.handler = (request, reply) => {
      const given = { request, reply, actor: { name: request.person.by }, fields: {} };
      const params = request.params as Record<string, string>;
      return trail.act({ ...given, params }, () => handler.call(board, request, reply));
    };
  });
}

/** Answers the console's own errors with their status and message, where the board would report a server error. */
function keepOurWords(adapter: FastifyAdapter, { onFault }: Pick<BoardFunctions, 'onFault'>): void {
  const set = adapter.setErrorHandler.bind(adapter);
  adapter.setErrorHandler = (handler) =>
    set((error) => {
      if ('code' in error && String(error.code).startsWith('FST_CSRF')) return said(403, STALE);
      if (!(error instanceof ConsoleError)) {
        onFault(error);
        return handler(new Error('The board could not do this; try again.'));
      }
      const status = error.statusCode === 404 || error.statusCode === 409 ? error.statusCode : 403;
      return said(status, error.message);
    });
}

const STALE = 'This page is too old. Load it again, and repeat what you did. Nothing was done.';

/** An error in the board's format: a key that it knows, and the console's message. */
function said(status: 403 | 404 | 409, message: string) {
  return { status, body: { error: { key: 'ERRORS.FORBIDDEN' as const }, message } };
}

/** Sets the board's own content policy and token; browsers may cache only its static files. */
function addRules(board: FastifyInstance): void {
  // Reads of the board do not prolong a session (`byItself`), since its pages poll while they are open.
  board.addHook('onRoute', (route) => {
    // The board registers each route with a list of one method.
    const byItself = [route.method].flat().every((method) => method === 'GET' || method === 'HEAD');
    if (route.url.startsWith(`${AT}/api/`)) route.config = { ...route.config, byItself };
    // Only the board's script reads errors in the board's format; a person who opens its address is shown a page.
    else route.errorHandler = board.errorHandler;
  });
  board.addHook('preHandler', async (request: FastifyRequest, reply: FastifyReply) => {
    if (request.method === 'GET' || request.method === 'HEAD') return;
    request.headers['csrf-token'] = request.headers[TOKEN_HEADER];
    await new Promise<void>((resolve, reject) => {
      board.csrfProtection.call(board, request, reply, (error?: Error) => (error ? reject(error) : resolve()));
    });
  });
  board.addHook('preHandler', (request, _reply, done) => pressedBy(request.person.by, done));
  board.addHook('onSend', async (request, reply, payload) => {
    const isOwnPage = reply.statusCode >= 400 && !request.routeOptions.url?.startsWith(`${AT}/api/`);
    if (isOwnPage) return payload;
    reply.header('content-security-policy', BOARD_POLICY);
    const type = String(reply.getHeader('content-type') ?? '');
    if (!type.startsWith('text/html') || typeof payload !== 'string') {
      if (type.startsWith('application/json')) reply.header('cache-control', 'no-store');
      return payload;
    }
    reply.header('cache-control', 'no-store');
    reply.setCookie(TOKEN_COOKIE, reply.csrf(), { path: AT, sameSite: 'strict', secure: 'auto' });
    return cleanShell(payload);
  });
}

/**
 * The board's page without what the content policy forbids: fonts from another site, and inline style, which only styles the
 * text shown during loading.
 *
 * @throws Error where anything forbidden is left, as after an update of the board
 */
export function cleanShell(page: string): string {
  const clean = page
    .replace(/<link[^>]*\shref="https?:\/\/[^>]*>\s*/g, '')
    .replace(/<style>[\s\S]*?<\/style>\s*/g, '')
    .replace(/(<div id="root">)[\s\S]*?(<\/div>\s*)(?=<script defer|<\/body>)/, '$1Loading$2');
  const [left] = /\sstyle="|<style|\son\w+="|(?:src|href)="(?:https?:)?\/\//i.exec(clean) ?? [];
  if (left !== undefined) throw new Error(`The board's page has ${left.trim()} in it, which its policy forbids.`);
  return clean;
}

/**
 * The board's content policy: its own scripts and styles, pictures and data from the console, and nothing from elsewhere. Its
 * script sets styles of elements, which needs no permission, and adds style sheets for its editor, which needs `style-src-elem`.
 * Inline scripts never run.
 */
const BOARD_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "style-src-elem 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'self'",
].join('; ');

/** A route as in the board's own list: `get /api/queues`. */
type Route = `${'get' | 'put' | 'post' | 'patch'} /api/${string}`;

const ELSEWHERE = 'Do this on the page Queues, where it is planned and confirmed.';
const NOT_HERE = 'The ledger keeps the rows; jobs only start work. The board must not add, change or remove jobs.';

/**
 * The routes of the board: `true`, or a message why not. A route missing here is denied, so an update's new route stays closed,
 * and a test reports it.
 */
const ROUTES: Readonly<Record<Route, true | string>> = {
  'get /api/queues': true,
  'get /api/queues/:queueName/:jobId': true,
  'get /api/queues/:queueName/:jobId/logs': true,
  'get /api/queues/:queueName/:jobId/flow': true,
  'get /api/queues/:queueName/metrics': true,
  'get /api/queues/:queueName/default-job-options': true,
  'get /api/queues/:queueName/rate-limit': true,
  'get /api/queues/:queueName/job-data-schema': true,
  'get /api/job-schedulers': true,
  'put /api/queues/:queueName/:jobId/retry': true,

  'get /api/redis/stats': 'Redis has its place on the page Health.',
  'get /api/queues/:queueName/workers':
    'Workers are counted at the top of each page; to list them would ask Redis for all of its clients.',

  'put /api/queues/pause': ELSEWHERE,
  'put /api/queues/resume': ELSEWHERE,
  'put /api/queues/:queueName/pause': ELSEWHERE,
  'put /api/queues/:queueName/resume': ELSEWHERE,
  'put /api/queues/:queueName/retry/:queueStatus': ELSEWHERE,

  'post /api/queues/:queueName/add': NOT_HERE,
  'put /api/queues/:queueName/promote': NOT_HERE,
  'put /api/queues/:queueName/clean/:queueStatus': NOT_HERE,
  'put /api/queues/:queueName/concurrency': NOT_HERE,
  'put /api/queues/:queueName/rate-limit': NOT_HERE,
  'put /api/queues/:queueName/rate-limit/release': NOT_HERE,
  'put /api/queues/:queueName/empty': NOT_HERE,
  'put /api/queues/:queueName/obliterate': NOT_HERE,
  'put /api/queues/:queueName/job-schedulers/:schedulerId/remove': NOT_HERE,
  'patch /api/queues/:queueName/job-schedulers/:schedulerId': NOT_HERE,
  'put /api/queues/:queueName/job-schedulers/:schedulerId/run': NOT_HERE,
  'put /api/queues/:queueName/:jobId/clean': NOT_HERE,
  'put /api/queues/:queueName/:jobId/promote': NOT_HERE,
  'patch /api/queues/:queueName/:jobId/update-data': NOT_HERE,
  'patch /api/queues/:queueName/:jobId/delay': NOT_HERE,
  'patch /api/queues/:queueName/:jobId/priority': NOT_HERE,
  'put /api/queues/:queueName/:jobId/remove-unprocessed-children': NOT_HERE,
};

const DECIDED: ReadonlyMap<string, true | string> = new Map(Object.entries(ROUTES));

/** All routes of the board with an explicit decision whether they may be used, such as `get /api/queues`. */
export const DECIDED_ROUTES: readonly string[] = [...DECIDED.keys()];

/** Whether a route of the board may be used: `true`, or a message why not. Unknown routes may not. */
export function mayOnBoard(method: string, route: string): true | string {
  const name = `${method.toLowerCase()} ${route}`;
  return DECIDED.get(name) ?? 'Nobody has decided yet whether this may be done here.';
}
