import { expect, test } from 'vitest';
import { startWorkers } from '../../jobs/workers/workers.ts';
import { openService } from '../../src/open-service.ts';
import type { FaultChange } from '../../src/stand-in/fault-settings.ts';
import { openConsole, openDesk, plainText } from '../support/desk.ts';

type Rule = NonNullable<FaultChange['rules']>[number];

// Promise: line-says-what-is-sent
test.each<[string, Rule, RegExp]>([
  ['has no answer yet', { on: 'company', fault: 'silence' }, /1 worker seen requests are under way/],
  [
    'is asked to wait some seconds',
    { on: 'company', fault: 'status', status: 429, headers: { 'retry-after': '8' } },
    /1 worker seen the service asked to wait, next try in \d s/,
  ],
])('while Limitline sends and %s, the strip says so and shows no warning', async (_what, rule, words) => {
  const desk = await openDesk(3, { rules: [rule] }, { SERVICE_TIMEOUT_MS: '5000' });
  const { context, get } = await openConsole(desk);
  await desk.limitline('import', 'q4.csv', '--yes');
  const workers = await startWorkers(context, openService(context, desk.standIn.url()));
  try {
    await expect.poll(async () => plainText((await get('/portfolios/q4')).text), { timeout: 30_000 }).toMatch(words);
    const { text } = await get('/portfolios/q4');
    expect(plainText(text)).not.toMatch(/nothing is being sent|All calls wait|Sending waits/);
  } finally {
    await workers.stop();
  }
});
