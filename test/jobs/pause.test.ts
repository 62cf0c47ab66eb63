import { Queue } from 'bullmq';
import { expect, onTestFinished, test } from 'vitest';
import { QUEUES } from '../../src/queue/queues.ts';
import { buyerLines, openWorkplace } from '../support/workplace.ts';

const ROWS = 60;
const IN_FLIGHT = 4;

test('no new call starts for a paused portfolio, and it goes on where it was', async () => {
  const { work, report, settled, standIn, context, ...place } = await openWorkplace({
    faults: { latencyMs: [20, 80] },
    env: { SERVICE_CONCURRENCY: String(IN_FLIGHT) },
  });
  const requests = () =>
    Object.values({ ...standIn.counts().requests.company })
      .concat(Object.values(standIn.counts().requests.limit))
      .reduce((sum, count) => sum + count, 0);
  await place.import(buyerLines(ROWS));
  await work();
  await expect.poll(async () => (await report()).states.done).toBeGreaterThan(5);
  await context.portfolios.pause('q4', 'by request');
  const answeredBefore = requests();

  const queues = QUEUES.map(
    (name) => new Queue(name, { connection: context.redis.connect('queue'), prefix: context.keys.queuePrefix(name) }),
  );
  onTestFinished(async () => {
    await Promise.all(queues.map((queue) => queue.close()));
  });
  const waiting = async () => (await Promise.all(queues.map((queue) => queue.getDelayed(0, 0)))).flat()[0];
  // Some row has looked, found the pause, and looked again: by then any call that could start had started.
  await expect.poll(async () => (await waiting())?.processedOn).toBeDefined();
  const lookedMs = (await waiting())?.processedOn ?? 0;
  await expect.poll(async () => (await waiting())?.processedOn ?? 0).toBeGreaterThan(lookedMs);
  expect(requests()).toBeLessThanOrEqual(answeredBefore + IN_FLIGHT);
  const { states } = await report();
  expect(states.done).toBeLessThan(ROWS);
  expect(states.refused + states.held + states.cancelled).toBe(0);

  await context.portfolios.resume('q4');
  expect((await settled()).states.done).toBe(ROWS);
  expect(standIn.counts().made).toMatchObject({ company: ROWS, limit: ROWS });
});

test('a paused portfolio holds up no other, not even for a company that they share', async () => {
  const { work, report, settled, standIn, context, ...place } = await openWorkplace();
  await place.import(buyerLines(5));
  await context.portfolios.pause('q4', 'by request');
  await work();
  const [header = '', ...lines] = buyerLines(5);
  await place.import([header, ...lines.map((line) => line.replace('.50', '.75'))], { portfolio: 'other' });
  expect((await settled('other')).states.done).toBe(5);
  expect((await report()).states.done).toBe(0);
  await context.portfolios.resume('q4');
  expect((await settled()).states.done).toBe(5);
  expect(standIn.counts().made).toMatchObject({ company: 5, limit: 10 });
});
