import type { DeliverDeps } from '../../jobs/notices/deliver.ts';
import { readSettings } from '../../src/config.ts';
import { makeRetryUntilAnswered } from '../../src/ledger/schema/until-answered.ts';
import type { NoticeOutbox } from '../../src/notices/outbox.ts';
import type { Way } from '../../src/notices/way.ts';
import { makeWebhook } from '../../src/notices/webhook/webhook.ts';
import { makeKeptLog } from './log-fixture.ts';

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
