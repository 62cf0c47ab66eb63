import { expect, onTestFinished, test } from 'vitest';
import { startWorkers } from '../../jobs/workers/workers.ts';
import { serveWork } from '../../scripts/commands/work.ts';
import { openService } from '../../src/open-service.ts';
import { buyerLines, openWorkplace } from '../support/workplace.ts';

test('a worker reports its calls, the rows and jobs of the account, and whether it is ready', async () => {
  const rules = [
    { on: 'limit', match: '"HRB 1"', times: 1, fault: 'status', status: 422, body: 'no' } as const,
    { on: 'limit', match: '"HRB 2"', times: 1, fault: 'status', status: 500, body: 'no' } as const,
  ];
  const { context, standIn, settled, ...place } = await openWorkplace({
    faults: { rules },
    env: { METRICS_PORT: '0' },
  });
  let isWorking = false;
  let url = '';
  context.log.info = ((facts: { metrics: string }) => {
    url = facts.metrics;
  }) as typeof context.log.info;
  const served = await serveWork(context, openService(context, standIn.url()), () => isWorking);
  onTestFinished(() => served.close());
  const ready = async () => (await fetch(new URL('/health/ready', url))).json();
  expect(await ready()).toEqual({ status: 'not ready', why: 'This process takes up no rows now.' });

  await place.import(buyerLines(4));
  const workers = await startWorkers(context, served.service, () => {}, served.onRowEnd);
  onTestFinished(() => workers.stop());
  isWorking = true;
  await settled();
  expect(await ready()).toEqual({ status: 'ready' });
  expect((await fetch(new URL('/health/live', url))).status).toBe(200);
  expect((await fetch(new URL('/else', url))).status).toBe(404);
  expect((await fetch(url, { method: 'POST' })).status).toBe(405);

  const text = await (await fetch(url)).text();
  const figure = (name: string) =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(name))
        ?.split(' ')
        .at(-1),
    );
  expect(figure('limitline_calls_total{kind="company",meaning="made"}')).toBe(4);
  expect(figure('limitline_calls_total{kind="limit",meaning="made"}')).toBe(2);
  expect(figure('limitline_calls_total{kind="limit",meaning="refused"}')).toBe(1);
  expect(figure('limitline_calls_total{kind="limit",meaning="unknown"}')).toBe(1);
  expect(figure('limitline_call_duration_seconds_count{kind="limit"}')).toBe(4);
  expect(figure('limitline_token_calls_total')).toBe(1);
  expect(figure('limitline_rows_ended_total{state="done"}')).toBe(2);
  const account = `account="${context.account}"`;
  expect(figure(`limitline_rows{${account},state="done"}`)).toBe(2);
  expect(figure(`limitline_rows{${account},state="held"}`)).toBe(1);
  expect(figure(`limitline_queue_jobs{${account},queue="buyer-limits",state="failed"}`)).toBe(2);
  expect(figure(`limitline_workers{${account}}`)).toBe(1);
  expect(figure(`limitline_redis_up{${account}}`)).toBe(1);
  expect(figure(`limitline_pace_flow_per_second{${account}}`)).toBeGreaterThan(0);
  expect(figure('limitline_blocked_seconds_total{reason="outage"}')).toBe(0);
  // The number of series does not depend on the number of portfolios and buyers.
  expect(text).not.toMatch(/q4|Buyer|HRB/);
});
