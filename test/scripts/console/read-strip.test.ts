import { expect, test } from 'vitest';
import { openService } from '../../../src/open-service.ts';
import { openConsole, openDesk } from '../../support/desk.ts';

// Promise: pages-say-what-is-away
test('every page shows an outage of the service with the time of the next try until it is over', async () => {
  const desk = await openDesk(0);
  const { context, get } = await openConsole(desk);
  const { pace } = openService(context, desk.env.SERVICE_URL);
  expect((await get('/')).text).not.toContain('All calls wait');
  await pace.block({ why: 'the service cannot be reached', because: 'outage', askedMs: 2_000, episode: -1 });
  await expect
    .poll(async () => (await get('/keys')).text)
    .toMatch(/<li><span>All calls wait: the service cannot be reached, next try in \d+ s\.<\/span><\/li>/);
  await expect.poll(async () => (await get('/keys')).text).not.toContain('All calls wait');
});
