import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startCommand } from '../support/command.ts';
import { openFaultPlace } from '../support/fault-place.ts';
import { startLoading } from '../support/redis/loading-server.ts';
import { makeServerFixture } from '../support/redis/server-fixture.ts';
import { buyerLines, makeFolder } from '../support/workplace.ts';

/** Deadlines to try in turn, because a busy machine may hardly have started the command when the time is over. */
const TIMES = ['2s', '5s', '15s'];

/** A place with a file of so many buyers, and a slow service. */
async function openDesk(rows: number, latencyMs: number) {
  const place = await openFaultPlace({ faults: { latencyMs }, env: { SERVICE_CONCURRENCY: '4' } });
  await writeFile(join(place.dir, 'q4.csv'), `${buyerLines(rows).join('\n')}\n`);
  return place;
}

// Promise: deadline-holds-nothing
test('run --deadline ends with 3 and holds no row, and the same command continues', async () => {
  const { limitline, standIn, report, context } = await openDesk(100, 200);
  // All rows together would take ten seconds.
  let [time, ended] = ['', { status: 0 as number | null, stderr: '' }];
  for (time of TIMES) {
    ended = await limitline('run', 'q4.csv', '--deadline', time);
    if (/; [1-9]\d* rows are left\. /.test(ended.stderr)) break;
  }
  expect(ended.status).toBe(3);
  const { states } = await report();
  const left = 100 - states.done;
  expect(ended.stderr).toContain(`the time of --deadline ${time} is over; ${left} rows are left`);
  expect(states).toMatchObject({ held: 0, refused: 0 });
  expect((await context.portfolios.read('q4')).interrupted).toBe(false);
  await standIn.setFaults({ latencyMs: 0 });
  expect(await limitline('run', 'q4.csv', '--deadline', '1h')).toMatchObject({ status: 0 });
  expect(standIn.madeTwice()).toEqual([]);
  expect(standIn.counts().made.limit).toBe(100);
});

// Promise: deadline-ends-with-3
test('a deadline that ends while the file is read ends the run with 3 and reports the incomplete import', async () => {
  const { limitline, context } = await openDesk(30_000, 0);
  const isBegun = async () => (await context.portfolios.read('q4')).interrupted;
  let ended = { status: 0 as number | null, stderr: '' };
  for (const time of TIMES) {
    ended = await limitline('run', 'q4.csv', '--deadline', time);
    if (await isBegun()) break;
  }
  expect(ended).toMatchObject({ status: 3, stderr: expect.stringContaining('was not read to its end') });
  expect(await isBegun()).toBe(true);
});

// Promises: deadline-ends-with-3, json-also-of-faults
test('a deadline that ends while Redis loads its data ends the run with 3, and says so as JSON, too', async () => {
  const fixture = makeServerFixture();
  onTestFinished(fixture.clean);
  const { url, loading } = await startLoading(fixture, { seconds: 60 });
  loading.catch(() => {});
  const cwd = await makeFolder();
  await writeFile(join(cwd, 'q4.csv'), `${buyerLines(1).join('\n')}\n`);
  const args = ['run', 'q4.csv', '--deadline', '3s', '--json'];
  const { status, stdout, stderr } = await startCommand(args, { cwd, env: { REDIS_URL: url } }).ended;
  const error = expect.stringMatching(/^Stopped: Redis at .* is still loading its data\.$/);
  expect([status, JSON.parse(stdout || '{}')]).toEqual([3, { error, status: 3 }]);
  expect(stderr).toContain('limitline: Stopped: Redis at ');
});

test.each([
  ['run', ['run', 'q4.csv', '--deadline', 'soon']],
  ['work', ['work', '--deadline', '0s']],
])('an invalid --deadline of %s is a fault of use', async (_name, words) => {
  const { startCommand } = await openDesk(1, 0);
  expect(await startCommand(words).ended).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/--deadline.*Give/),
  });
});
