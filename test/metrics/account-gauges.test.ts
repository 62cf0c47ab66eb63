import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { makeSilentLog } from '../../src/log.ts';
import type { AccountPicture } from '../../src/metrics/account-gauges.ts';
import { makeMetrics } from '../../src/metrics/metrics.ts';
import { serveMachines } from '../../src/metrics/serve-machines.ts';
import { portOf } from '../support/tls-service.ts';

const END = { id: 'n', by: 'schedule', is: 'findings', words: '', startedMs: 1_000, endedMs: 90_000 } as const;

const PICTURE: AccountPicture = {
  totals: {
    rows: {
      queued: 1,
      company: 0,
      documents: 0,
      limit: 0,
      done: 7,
      refused: 0,
      held: 2,
      skipped: 0,
      cancelled: 0,
      awaiting: 0,
    },
    portfolios: 1,
    open: 1,
    paused: 0,
    toSend: 1,
  },
  archived: 3,
  queues: [],
  pace: undefined,
  isOlder: true,
  workers: 1,
  processes: [
    { role: 'nightly', version: '0.1.1+a', state: 'works' },
    { role: 'work', version: '0.1.1+a', state: 'works' },
    { role: 'work', version: '0.1.1+b', state: 'works' },
    { role: 'work', version: '0.1.1+b', state: 'works' },
  ],
  tasks: { reconcile: { last: undefined, underWay: undefined, lastWell: END, lastFailed: undefined } },
  memory: { usedBytes: 95, mostBytes: 100 },
  disk: { freeBytes: 7, totalBytes: 70 },
  inbox: { waiting: 2, rejected: 1 },
  notices: { waiting: { webhook: 2, mail: 0 }, delivered: 5, undelivered: 1 },
};

const metricsOf = (look: () => Promise<AccountPicture>) =>
  makeMetrics({ account: 'sandbox', version: '1.0.0', role: 'work', look });

// Promise: undelivered-is-shown
test('concurrent requests share one read of the account', async () => {
  let looks = 0;
  const metrics = metricsOf(async () => {
    looks += 1;
    return PICTURE;
  });
  const texts = await Promise.all(Array.from({ length: 20 }, () => metrics.text()));
  expect(looks).toBe(1);
  for (const text of texts) expect(text).toContain('limitline_rows{account="sandbox",state="held"} 2');
  expect(texts[0]).toContain('limitline_notices_waiting{account="sandbox",way="webhook"} 2');
  expect(texts[0]).toContain('limitline_notices_ended{account="sandbox",how="undelivered"} 1');
  expect(texts[0]).toContain('limitline_portfolios_archived{account="sandbox"} 3');
});

test.each([
  ['is away', () => Promise.reject(new Error('ECONNREFUSED'))],
  ['hangs', () => new Promise<AccountPicture>(() => {})],
])('while Redis %s the metrics report it as down, and leave out figures that are unknown', async (_how, look) => {
  const text = await metricsOf(look).text();
  expect(text).toContain('limitline_redis_up{account="sandbox"} 0');
  expect(text).not.toMatch(/^limitline_(rows|workers|queue_jobs)\{/m);
  expect(text).toContain('limitline_build_info{version="1.0.0"');
});

test('a port in use is an error that names METRICS_PORT', async () => {
  const port = await portOf(createServer());
  const serving = serveMachines({ host: '127.0.0.1', port, answer: async () => undefined, log: makeSilentLog() });
  await expect(serving).rejects.toThrow(/cannot be served .*EADDRINUSE.*choose another .*METRICS_PORT/);
});

test.each([
  'limitline_rows_to_send{account="sandbox"} 1',
  'limitline_processes{account="sandbox",role="work",version="0.1.1+b",state="works"} 2',
  'limitline_on_duty{account="sandbox"} 1',
  'limitline_blocked{account="sandbox",reason="older"} 1',
  'limitline_blocked{account="sandbox",reason="outage"} 0',
  'limitline_task_success_timestamp_seconds{account="sandbox",task="reconcile"} 90',
  'limitline_task_failure_timestamp_seconds{account="sandbox",task="reconcile"} 0',
  'limitline_inbox_files{account="sandbox",state="rejected"} 1',
  'limitline_redis_memory_used_bytes{account="sandbox"} 95',
  'limitline_redis_memory_max_bytes{account="sandbox"} 100',
  'limitline_data_free_bytes{account="sandbox"} 7',
])('the metrics contain %s', async (line) => {
  const lines = (await metricsOf(async () => PICTURE).text()).split('\n');
  const labelsOf = (text: string) => [
    text.replace(/\{.*\}/, ''),
    ...(/\{(.*)\}/.exec(text)?.[1]?.split(',').sort() ?? []),
  ];
  expect(lines.map(labelsOf)).toContainEqual(labelsOf(line));
});
