import { createBullBoard } from '@bull-board/api';
import { FastifyAdapter } from '@bull-board/fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { rowOf } from '../../queue/names.ts';
import { QUEUES } from '../../queue/queues.ts';
import { ACTION_WORDS } from '../actions/action-words.ts';
import { recorded } from '../actions/recorded.ts';
import type { ConsoleApp } from '../console-app.ts';
import { ConsoleError } from '../server/console-error.ts';
import type { BoardFunctions } from './board-functions.ts';
import { boardQueue } from './board-queue.ts';
import { mayOnBoard } from './board-routes.ts';
import { BOARD_POLICY, cleanShell } from './board-shell.ts';
import { pressedBy } from './who-presses.ts';

/** Where the board stands; the page of ours about the queues is at `/work`. */
const AT = '/queues';

/** The board's script reads its token here and sends it with what changes anything (axios knows these two names). */
const TOKEN_COOKIE = 'XSRF-TOKEN';
const TOKEN_HEADER = 'x-xsrf-token';

/**
 * BullMQ's board under `/queues`, for the details of a job. It may read, and send single rows again by our own way; what it may
 * do at all is looked up in a table before it is handled (board-routes.ts), who may do that in the console's own
 * (access/access-table.ts). The console's guard, token and audit hold here too.
 */
export function addBoard(app: ConsoleApp, given: BoardFunctions): void {
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

/** What the board may change at all is put between two entries of the audit, as all that the console does. */
function recordChanges(board: FastifyInstance): void {
  const trail = recorded(board.audit, ({ request, params }) => {
    const { portfolio, key } = rowOf(params.jobId ?? '');
    return { by: request.person.by, what: ACTION_WORDS.retry, from: request.ip, about: portfolio, facts: { row: key } };
  });
  board.addHook('onRoute', (route) => {
    const { handler, url } = route;
    // The board registers lists of one method each.
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

/** What we say is no fault of the server's: the words and the status go to whoever asked. */
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

/** As the board reads it: what it knows, and our words. */
function said(status: 403 | 404 | 409, message: string) {
  return { status, body: { error: { key: 'ERRORS.FORBIDDEN' as const }, message } };
}

/** The board's own policy and its token; nothing of it is kept by a browser but the files that never change. */
function addRules(board: FastifyInstance): void {
  // Its pages ask again and again while they are open.
  board.addHook('onRoute', (route) => {
    // The board registers lists of one method each.
    const byItself = [route.method].flat().every((method) => method === 'GET' || method === 'HEAD');
    if (route.url.startsWith(`${AT}/api/`)) route.config = { ...route.config, byItself };
  });
  board.addHook('preHandler', async (request: FastifyRequest, reply: FastifyReply) => {
    if (request.method === 'GET' || request.method === 'HEAD') return;
    request.headers['csrf-token'] = request.headers[TOKEN_HEADER];
    await new Promise<void>((resolve, reject) => {
      board.csrfProtection.call(board, request, reply, (error?: Error) => (error ? reject(error) : resolve()));
    });
  });
  board.addHook('preHandler', (request, _reply, done) => pressedBy(request.person.by, done));
  board.addHook('onSend', async (_request, reply, payload) => {
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
