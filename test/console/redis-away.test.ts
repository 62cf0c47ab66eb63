import { expect, test } from 'vitest';
import { openConsole, openDesk } from '../support/desk.ts';
import { startKillableRedis } from '../support/redis/killable-redis.ts';

// Promise: pages-say-what-is-away
test('pages and live updates report that Redis is away or hangs, and recover when it returns', async () => {
  const redis = await startKillableRedis();
  const desk = await openDesk(0, {}, { REDIS_URL: redis.url });
  const { get, open } = await openConsole(desk);
  expect(await get('/')).toMatchObject({ status: 200, text: expect.stringContaining('No worker runs') });

  const ending = new AbortController();
  const stream = await open('/events', { headers: { accept: 'text/event-stream' }, signal: ending.signal });
  let heard = '';
  const listening = (async () => {
    for await (const piece of stream.body ?? []) heard += Buffer.from(piece).toString();
  })().catch(() => {});
  await expect.poll(() => heard).toContain('No worker runs');

  redis.pause();
  await expect.poll(() => heard).toContain('Redis does not answer');
  const began = performance.now();
  const hanging = await get('/');
  // Redis stays silent until the test resumes it.
  expect(performance.now() - began).toBeLessThan(20_000);
  expect(hanging).toMatchObject({ status: 503, text: expect.stringContaining('The database (Redis) does not answer') });
  expect(hanging.headers.get('refresh')).toBe('3');

  await redis.kill();
  await expect.poll(async () => (await get('/')).status).toBe(503);
  await redis.restart();
  await expect.poll(async () => (await get('/')).status).toBe(200);
  await expect.poll(() => heard).toMatch(/No worker runs(?!.*Redis does not answer)/s);
  ending.abort();
  await listening;
});
