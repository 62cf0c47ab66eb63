import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startTakingEvents } from '../../jobs/events/take-events.ts';
import { decisionEvent, eventOf, mappingIn, writeMapping } from '../support/events.ts';
import { openFaultPlace } from '../support/fault-place.ts';
import { startKillableRedis } from '../support/redis/killable-redis.ts';
import { copyOf, putBack } from '../support/redis/set-back.ts';
import { buyerLines } from '../support/workplace.ts';

/** Redis is put back to a copy from which only what `act` changed is missing: no call left since. */
async function setBackAfter(...act: string[]) {
  const redis = await startKillableRedis();
  const place = await openFaultPlace({ env: { REDIS_URL: redis.url } });
  for (const [name, rows] of [
    ['sent.csv', 1],
    ['waits.csv', 3],
  ] as const)
    await writeFile(join(place.dir, name), `${buyerLines(rows).join('\n')}\n`);
  expect(await place.limitline('run', 'sent.csv', '--yes')).toMatchObject({ status: 0 });
  expect(await place.limitline('import', 'waits.csv', '--yes')).toMatchObject({ status: 0 });
  const copy = await copyOf(redis.admin);
  expect(await place.limitline(...act)).toMatchObject({ status: 0 });
  await putBack(redis.admin, copy);
  return place;
}

// Promise: lost-acts-stop-sending
test.each([
  ['an import', ['import', 'waits.csv', '--portfolio', 'again', '--yes']],
  ['a person’s word to give rows up', ['cancel', 'waits']],
])('a Redis that lacks %s sends nothing, although every call is in it', async (_what, act) => {
  const { limitline, startCommand, standIn } = await setBackAfter(...act);
  expect(await startCommand(['work', '--until-settled']).ended).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/Redis is older than what was sent\. .* what was imported or decided since is lost/),
  });
  expect(standIn.counts().made).toMatchObject({ limit: 1 });
  expect((await limitline('acknowledge-rollback')).stdout).toContain('Import files of that time again');
  expect(await startCommand(['work', '--until-settled']).ended).toMatchObject({ status: 0 });
  expect(standIn.counts().made).toMatchObject({ limit: 3 });
});

// Promise: lost-acts-stop-sending
test('a Redis that lacks what the service decided by events sends nothing either', async () => {
  const redis = await startKillableRedis();
  const { dir, limitline, context, standIn, report } = await openFaultPlace({ env: { REDIS_URL: redis.url } });
  await writeFile(join(dir, 'q4.csv'), `${buyerLines(1).join('\n')}\n`);
  expect(await limitline('run', 'q4.csv', '--yes')).toMatchObject({ status: 0 });
  const copy = await copyOf(redis.admin);
  const taking = startTakingEvents(context, { mapping: mappingIn(writeMapping(dir)) });
  const at = new Date().toISOString();
  await taking.keep(eventOf(decisionEvent(standIn.things('limit')[0]?.id, 'declined', { total: 0, at })));
  await expect.poll(async () => (await report()).statuses).toEqual({ declined: 1 });
  await taking.stop();
  await putBack(redis.admin, copy);
  await expect(context.marks.check()).rejects.toThrow('Redis is older than what was sent');
});

// Promise: rollback-acknowledged
test('whoever accepts an older Redis is told the portfolios that the data folder knows and Redis lacks', async () => {
  const redis = await startKillableRedis();
  const { dir, limitline } = await openFaultPlace({ env: { REDIS_URL: redis.url } });
  await writeFile(join(dir, 'q4.csv'), `${buyerLines(1).join('\n')}\n`);
  expect(await limitline('run', 'q4.csv', '--yes')).toMatchObject({ status: 0 });
  const copy = await copyOf(redis.admin);
  expect(await limitline('run', 'q4.csv', '--portfolio', 'again', '--yes')).toMatchObject({ status: 0 });
  await putBack(redis.admin, copy);
  const { stdout } = await limitline('acknowledge-rollback');
  expect(stdout).toContain('Redis lacks this portfolio, of which results are kept: again.');
});
