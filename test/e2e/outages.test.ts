import { expect, test } from 'vitest';
import { openDesk } from '../support/desk.ts';

// Promise: held-by-5xx-says-so
test('a 503 holds its row, and row and run name the setting that would avoid it', async () => {
  const rule = { on: 'limit', match: 'HRB 2', fault: 'status', status: 503, times: 1 } as const;
  const { limitline } = await openDesk(3, { rules: [rule] }, { SERVICE_NOT_MADE: '502' });
  const ran = await limitline('run', 'q4.csv');
  expect(ran.status).toBe(2);
  expect(ran.stderr).toContain('SERVICE_NOT_MADE=502,503');
  const results = await limitline('report', 'q4', '--format', 'csv');
  expect(results.stdout).toContain('name 503 in SERVICE_NOT_MADE');
});

test('a 503 in SERVICE_NOT_MADE holds no row, and rows held for other reasons do not mention the setting', async () => {
  const notMade = { on: 'limit', fault: 'status', status: 503, times: 3 } as const;
  const lost = { on: 'limit', match: 'HRB 2', fault: 'reset', made: true, times: 1 } as const;
  const { limitline, json } = await openDesk(5, { rules: [notMade, lost] }, { SERVICE_NOT_MADE: '502,503' });
  const ran = await limitline('run', 'q4.csv');
  expect(ran).toMatchObject({ status: 2, stderr: expect.not.stringContaining('SERVICE_NOT_MADE') });
  expect((await json('report', 'q4')).states).toMatchObject({ done: 4, held: 1 });
  // The report shows no pace when no worker runs.
  expect((await limitline('report', 'q4')).stdout).not.toContain('Pace:');
});

// Promises: unknown-outcomes-said, why-calls-wait-is-said
test('run, work and report state that outcomes are unknown during an outage', async () => {
  // More rows than can be held before the breaker trips, even when all calls in flight fail.
  const { limitline, start, standIn } = await openDesk(100, { rules: [{ on: 'limit', fault: 'status', status: 502 }] });
  const words = /the outcome of limit requests is unknown \(status 502\)/;
  const run = start('run', 'q4.csv');
  // Without a terminal, progress is written every few seconds.
  await expect.poll(() => run.output().stderr).toMatch(new RegExp(`rows settled.*${words.source}`));
  const report = await limitline('report', 'q4');
  expect(report.stdout).toMatch(new RegExp(`Pace: ${words.source}`));
  run.child.kill('SIGTERM');
  expect(await run.ended).toMatchObject({ status: 2 });
  const work = start('work');
  await standIn.setFaults({ rules: [{ on: 'limit', fault: 'status', status: 504 }] });
  await expect.poll(() => work.output().stderr).toMatch(/calls wait: the outcome of limit requests is unknown/);
  await standIn.setFaults({ rules: [] });
  await expect.poll(() => standIn.counts().made.limit).toBeGreaterThan(10);
  work.child.kill('SIGTERM');
  expect(await work.ended).toMatchObject({ status: 0 });
});
