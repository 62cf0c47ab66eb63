import { expect } from 'vitest';
import { openFaultPlace } from '../support/fault-place.ts';
import { testsBeside } from '../support/tests-beside.ts';
import { buyerLines } from '../support/workplace.ts';

const test = testsBeside();

// Promise: until-settled-ends
test('work --until-settled ends with 0 when no row is open, for one portfolio or for all', async () => {
  const place = await openFaultPlace({ faults: { latencyMs: 20 } });
  await place.import(buyerLines(5), { portfolio: 'small' });
  const [header = '', ...lines] = buyerLines(35);
  await place.import([header, ...lines.slice(5)], { portfolio: 'large' });
  const [one, all] = await Promise.all([
    place.startCommand(['work', '--until-settled', 'small']).ended,
    place.startCommand(['work', '--until-settled']).ended,
  ]);
  expect(one).toMatchObject({ status: 0, stderr: expect.stringContaining('nothing is open any more') });
  expect(all).toMatchObject({ status: 0 });
  expect((await place.report('small')).states.done).toBe(5);
  expect((await place.report('large')).states.done).toBe(30);
});

// Promise: unfinished-import-stays-open
test('a paused portfolio ends work --until-settled with 2, and an outage keeps it running until the deadline ends it with 3', async () => {
  const place = await openFaultPlace({ faults: { outage: { how: '503' } } });
  await place.import(buyerLines(3), { portfolio: 'stopped' });
  await place.context.portfolios.pause('stopped', 'by request');
  // A killed import leaves this state: its other lines are in no count.
  const file = { id: 'f', fileName: 'cut.csv', reading: '{}' };
  await place.context.portfolios.startImport('cut', file).then((run) => run.leave());
  const paused = await place.startCommand(['work', '--until-settled']).ended;
  expect(paused).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(
      /"interrupted":\["cut"\].*portfolio cut was not read to its end[\s\S]*"paused":\["stopped"\].*limitline resume.*portfolio cut was not read to its end/,
    ),
  });

  await place.import(buyerLines(5));
  const work = place.startCommand(['work', '--until-settled', 'q4', '--deadline', '3s']);
  expect(await work.ended).toMatchObject({
    status: 3,
    stderr: expect.stringContaining('the time of --deadline is over; 5 rows are left'),
  });
  expect((await place.report()).states).toMatchObject({ done: 0, held: 0, refused: 0 });
});

// Promise: unfinished-import-stays-open
test('a paused queue ends work --until-settled with 2 once no other row can continue', async () => {
  const place = await openFaultPlace();
  await place.import(buyerLines(10));
  await place.context.queues.pauseQueue('buyer-limits');
  const stopped = await place.startCommand(['work', '--until-settled']).ended;
  expect(stopped).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(
      /"pausedQueues":\["buyer-limits"\],"rows":10.*10 rows wait, since a queue is paused\. To go on: limitline resume --queue buyer-limits/,
    ),
  });
  expect(place.standIn.counts().made).toMatchObject({ company: 10, limit: 0 });
  await place.context.queues.resumeQueue('buyer-limits');
  await place.work();
  expect((await place.settled()).states.done).toBe(10);
});

test('a signal ends work --until-settled with 2, and refused credentials end it with 1', async () => {
  const place = await openFaultPlace({ faults: { outage: { how: '503' } } });
  await place.import(buyerLines(2));
  const work = place.startCommand(['work', '--until-settled']);
  await expect.poll(() => work.output().stderr).toContain('"working"');
  work.child.kill('SIGTERM');
  expect(await work.ended).toMatchObject({ status: 2 });
  await place.standIn.setFaults({ outage: null, rules: [{ on: 'token', fault: 'status', status: 401 }] });
  const refused = await place.startCommand(['work', '--until-settled']).ended;
  expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining('SERVICE_CLIENT_SECRET') });
});

test('an unknown portfolio ends work --until-settled with 1, and the known ones are listed', async () => {
  const place = await openFaultPlace();
  await place.import(buyerLines(1));
  const ended = await place.startCommand(['work', '--until-settled', 'q5']).ended;
  expect(ended).toMatchObject({ status: 1, stderr: expect.stringMatching(/no portfolio \\?"q5\\?".*known are: q4/) });
  expect(place.madeCount()).toBe(0);
});
