import { Redis } from 'ioredis';
import { STAND_IN_CREDENTIALS } from '../../src/config.ts';
import { makeServiceClient } from '../../src/service/client.ts';

/**
 * A process that uploads documents, and prints by how much the last and largest one raised its memory. Run by
 * document-memory.test.ts, because the process of a test includes the test runner.
 * Arguments: address of the service, address of Redis, key for the token, then path and size of each document.
 */
const [url = '', redis = '', tokenKey = '', ...files] = process.argv.slice(2);
const connection = new Redis(redis);
const client = makeServiceClient({
  url,
  ...STAND_IN_CREDENTIALS,
  tokenField: 'access_token',
  tokenLifetimeMs: 600_000,
  proxy: undefined,
  connections: 1,
  timeoutMs: 60_000,
  idempotencyHeader: undefined,
  connection,
  tokenKey,
});

let peakBytes = 0;
let before = 0;
const sample = () => {
  peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
};
const meanings: string[] = [];
for (let place = 0; place < files.length; place += 2) {
  globalThis.gc?.();
  before = process.memoryUsage.rss();
  peakBytes = before;
  const timer = setInterval(sample, 1);
  const document = {
    path: files[place] ?? '',
    sizeBytes: Number(files[place + 1]),
    name: 'a.pdf',
    mediaType: 'application/pdf',
  };
  const answer = await client.uploadDocument(document, { idempotencyKey: 'k', onTokenCall: () => {} });
  sample();
  clearInterval(timer);
  meanings.push(answer.is);
}
await client.close();
connection.disconnect();
console.log(JSON.stringify({ meanings, raisedBytes: peakBytes - before }));
