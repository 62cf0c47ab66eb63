import { onTestFinished } from 'vitest';
import { STAND_IN_CREDENTIALS } from '../../src/config.ts';
import { makeServiceClient } from '../../src/service/client.ts';
import { connectRedis, freshPrefix } from './ledger.ts';

type Options = Partial<Parameters<typeof makeServiceClient>[0]>;

/** A client of the service at `url`, with its own token cache unless `tokenKey` names a shared one. */
export function makeClient(url: string, options: Options = {}) {
  const client = makeServiceClient({
    url,
    ...STAND_IN_CREDENTIALS,
    tokenField: 'access_token',
    tokenLifetimeMs: 600_000,
    connections: 4,
    proxy: undefined,
    timeoutMs: 5_000,
    idempotencyHeader: undefined,
    connection: connectRedis(),
    tokenKey: freshPrefix(),
    ...options,
  });
  onTestFinished(() => client.close());
  return client;
}

/** The options of a call, with a count of its token calls. */
export function callOptions() {
  const options = {
    idempotencyKey: 'key-1',
    tokenCalls: 0,
    onTokenCall: () => {
      options.tokenCalls += 1;
    },
  };
  return options;
}
