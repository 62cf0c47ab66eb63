import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { json } from 'node:stream/consumers';
import type { DeliverDeps } from '../../jobs/notices/deliver.ts';
import { readSettings } from '../../src/config.ts';
import { makeKeys } from '../../src/ledger/schema/keys.ts';
import { makeRetryUntilAnswered } from '../../src/ledger/schema/until-answered.ts';
import type { Notice, NoticeState } from '../../src/notices/notice.ts';
import { type Delivery, makeOutbox, type NoticeOutbox } from '../../src/notices/outbox.ts';
import { NOTICE_LIMITS } from '../../src/notices/outbox-store.ts';
import { WAYS, type Way, type WayName } from '../../src/notices/way.ts';
import { makeWebhook } from '../../src/notices/webhook/webhook.ts';
import { connectRedis, freshPrefix } from './ledger.ts';
import { portOf } from './tls-service.ts';
import { makeKeptLog } from './workplace.ts';

/** An outbox of this test, for a webhook and mail unless other ways are given. */
export function openOutbox(given: Omit<Partial<Parameters<typeof makeOutbox>[0]>, 'connection' | 'keys'> = {}) {
  const { ways = WAYS, ...options } = given;
  const connection = connectRedis();
  const keys = makeKeys(freshPrefix(), 'https://test.example');
  const open = (with_: Partial<typeof options> & { ways?: readonly WayName[] } = {}) =>
    makeOutbox({ connection, keys, ways, limits: NOTICE_LIMITS, ...options, ...with_ });
  return { connection, keys, outbox: open(), /** The same outbox, as another process has it. */ open };
}

/** The smallest notice, with changes. */
export function makeNotice(changes: Partial<Notice> = {}): Notice {
  return {
    kind: 'settled',
    title: 'Portfolio q4 is settled',
    facts: [{ term: 'Rows', what: '3 done, 1 refused' }],
    path: '/portfolios/q4',
    atMs: 1_763_802_000_000,
    ...changes,
  };
}

/** A subject with a new state and its notice. */
export function makeState(state: string, changes: Partial<Notice> = {}, subject = 'portfolio q4'): NoticeState {
  return { subject, state, notice: makeNotice(changes) };
}

/** The reaction of a receiver to one call. */
export type Reaction = (answer: ServerResponse, request: IncomingMessage) => unknown;

/** A webhook receiver on this machine that keeps the received bodies, and answers 200 unless told otherwise. */
export async function startReceiver(reaction: Reaction = (answer) => answer.end('ok')) {
  const received: Record<string, unknown>[] = [];
  const heads: IncomingMessage[] = [];
  const sockets = new Set<Socket>();
  let react = reaction;
  const listen: RequestListener = async (request, answer) => {
    heads.push(request);
    received.push((await json(request)) as Record<string, unknown>);
    react(answer, request);
  };
  const server = createServer((request, answer) => void Promise.resolve(listen(request, answer)).catch(() => {}));
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  });
  const port = await portOf(server);
  return {
    port,
    host: `127.0.0.1:${port}`,
    url: `http://127.0.0.1:${port}/hooks/T00/s3cr3t-path?sig=s3cr3t-query`,
    received,
    heads,
    openConnections: () => sockets.size,
    react(next: Reaction): void {
      react = next;
    },
  };
}

/** The dependencies of a process that delivers notices of this outbox to a webhook, and its log lines. */
export function deliversTo(url: string, outbox: NoticeOutbox, ...ways: Way[]) {
  const { log, lines } = makeKeptLog();
  const deps: DeliverDeps = {
    outbox,
    settings: readSettings({ env: { LIMITLINE_DATA: '/nowhere', CONSOLE_URL: 'https://limits.example' } }),
    account: 'https://test.example',
    retryUntilAnswered: makeRetryUntilAnswered({ log, signal: new AbortController().signal }),
    log,
    ways: [makeWebhook({ url, form: 'json', proxy: undefined }), ...ways],
  };
  return { deps, lines };
}

/** For a process that is never stopped. */
export const GOES_ON = { signal: new AbortController().signal };

/** An outbox with so many notices for a webhook, which differ in their titles. */
export async function withNotices(count: number) {
  const opened = openOutbox({ ways: ['webhook'] });
  const titles = Array.from({ length: count }, (_, place) => `notice ${place}`);
  await opened.outbox.report(titles.map((title) => makeState('1', { title }, title)));
  const ids = (await opened.outbox.lately()).map(({ id }) => id).reverse();
  const { connection, keys } = opened;
  return {
    ...opened,
    titles,
    ids,
    /** Ends the wait of the way and of each notice. */
    async afterWaiting(): Promise<void> {
      await connection.hset(keys.outboxFault('webhook'), 'until', 0);
      for (const id of ids) await connection.zadd(keys.outbox('webhook'), 'XX', 0, id);
    },
    /** Makes a notice older: so long since it was reported, and since its first try. */
    async age(ms: number, triedMs: number): Promise<void> {
      for (const id of ids) {
        await connection.hincrby(keys.notice(id), 'at', -ms);
        if (triedMs > 0) await connection.hincrby(keys.notice(id), 'webhook:first', -triedMs);
      }
    },
    async deliveries(): Promise<Delivery[]> {
      return (await opened.outbox.lately()).flatMap(({ deliveries }) => deliveries).reverse();
    },
  };
}
