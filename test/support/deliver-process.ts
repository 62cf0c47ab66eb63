import { Redis } from 'ioredis';
import { deliverOnce } from '../../jobs/notices/deliver.ts';
import { readSettings } from '../../src/config.ts';
import { makeKeys } from '../../src/ledger/schema/keys.ts';
import { makeRetryUntilAnswered } from '../../src/ledger/schema/until-answered.ts';
import { makeSilentLog } from '../../src/log.ts';
import { makeOutbox } from '../../src/notices/outbox.ts';
import { makeWebhook } from '../../src/notices/webhook/webhook.ts';

/**
 * A process that delivers due notices to a webhook and kills itself `before` it sends or `after` the answer; with
 * `during`, the receiver kills it. Run by test/jobs/notices/killed.test.ts. Arguments: address of Redis, key prefix,
 * account, receiver, moment.
 */
const [redisUrl = '', prefix = '', account = '', url = '', moment] = process.argv.slice(2);
const connection = new Redis(redisUrl);
const log = makeSilentLog();
const { signal } = new AbortController();
const webhook = makeWebhook({ url, form: 'json', proxy: undefined });
const die = () => process.kill(process.pid, 'SIGKILL');
await deliverOnce(
  {
    outbox: makeOutbox({ connection, keys: makeKeys(prefix, account), ways: ['webhook'] }),
    settings: readSettings({ env: {} }),
    account,
    retryUntilAnswered: makeRetryUntilAnswered({ log, signal }),
    log,
    ways: [
      {
        ...webhook,
        async send(message, options) {
          if (moment === 'before') die();
          const sent = await webhook.send(message, options);
          if (moment === 'after') die();
          return sent;
        },
      },
    ],
  },
  { signal },
);
connection.disconnect();
