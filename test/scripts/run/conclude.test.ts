import { expect, test } from 'vitest';
import { countLiving } from '../../../src/ledger/calls/fleet.ts';
import { openConsole } from '../../support/console.ts';
import { openDesk } from '../../support/desk.ts';

test('a stopped run says that workers of another process go on, and resume that it goes on now', async () => {
  const desk = await openDesk(200, { latencyMs: 200 }, { SERVICE_CONCURRENCY: '2' });
  const { context } = await openConsole(desk);
  const run = desk.start('run', 'q4.csv');
  await expect.poll(() => desk.standIn.counts().made.limit, { timeout: 20_000 }).toBeGreaterThan(0);
  const work = desk.start('work');
  await expect.poll(() => countLiving({ connection: context.ledger, keys: context.keys }), { timeout: 20_000 }).toBe(2);
  run.child.kill('SIGINT');
  const { stderr } = await run.ended;
  expect(stderr).toContain('run the same command to continue.');
  expect(stderr).toContain('workers of another process go on sending; to stop them: npx limitline pause "q4"');
  await desk.limitline('pause', 'q4');
  expect((await desk.limitline('resume', 'q4')).stdout).toBe('Portfolio q4 is resumed: it goes on now.\n');
  work.child.kill('SIGTERM');
  await work.ended;
});
