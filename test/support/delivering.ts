import type { DeliverDeps } from '../../jobs/notices/deliver.ts';
import { readSettings } from '../../src/config.ts';
import { makeRetryUntilAnswered } from '../../src/ledger/schema/until-answered.ts';
import type { Delivery } from '../../src/notices/notice-list.ts';
import type { NoticeOutbox } from '../../src/notices/outbox.ts';
import type { Way } from '../../src/notices/way.ts';
import { makeWebhook } from '../../src/notices/webhook/webhook.ts';
import { makeKeptLog } from './log-fixture.ts';
import { makeState, openOutbox } from './outbox.ts';

/** What a process needs that delivers the notices of this outbox to a webhook, and the lines of its log. */
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

/** For a process that is never told to stop. */
export const GOES_ON = { signal: new AbortController().signal };

/** An outbox with so many notices for a webhook, told apart by their titles. */
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
    /** As if the wait that the way is in were over, and that of each notice. */
    async afterWaiting(): Promise<void> {
      await connection.hset(keys.outboxFault('webhook'), 'until', 0);
      for (const id of ids) await connection.zadd(keys.outbox('webhook'), 'XX', 0, id);
    },
    /** As if it had been told, and tried first, so long ago. */
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
