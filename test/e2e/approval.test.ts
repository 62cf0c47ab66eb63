import { expect, test } from 'vitest';
import { openDesk } from '../support/desk.ts';

test('run ends with 2 where all that is left waits for another person, says so, and sends nothing', async () => {
  const desk = await openDesk(5, {}, { APPROVE_ALWAYS: 'on' });
  const ran = await desk.limitline('run', 'q4.csv');
  expect(ran.status).toBe(2);
  // 1,001.50 to 1,005.50.
  expect(ran.stderr).toMatch(/5 rows wait for another person.s approval/);
  expect(ran.stderr).toContain('5,017.50');
  expect(ran.stderr).toContain('npx limitline approve "q4" --as');
  expect(ran.stdout).toMatch(/awaiting +5 +waiting for another person.s approval/);
  expect(await desk.json('report', 'q4')).toMatchObject({
    states: { awaiting: 5, queued: 0, done: 0 },
    requested: '5017.50',
    finished: null,
  });
  expect((await desk.limitline('portfolios')).stdout).toContain('waits for approval');
  const worked = await desk.start('work', '--until-settled').ended;
  expect(worked).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(/"awaiting":\["q4"\].*portfolio q4 waits for another person/),
  });
  // Again, as one does who has forgotten: nothing changes.
  expect((await desk.limitline('run', 'q4.csv')).status).toBe(2);
  expect(desk.standIn.counts().made).toMatchObject({ company: 0, limit: 0 });
  expect((await desk.limitline('cancel', 'q4')).status).toBe(0);
  expect(await desk.json('report', 'q4')).toMatchObject({
    states: { awaiting: 0, cancelled: 5 },
    finished: expect.any(String),
  });
});

test('a portfolio of a sum that needs no approval goes at once, and one that is above it waits', async () => {
  const below = await openDesk(5, {}, { APPROVE_ABOVE: '5017.50' });
  expect((await below.limitline('run', 'q4.csv')).status).toBe(0);
  expect(below.standIn.counts().made.limit).toBe(5);
  const above = await openDesk(5, {}, { APPROVE_ABOVE: '5017.49' });
  expect((await above.limitline('run', 'q4.csv')).status).toBe(2);
  expect(above.standIn.counts().made.limit).toBe(0);
});
