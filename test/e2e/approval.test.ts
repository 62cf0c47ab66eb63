import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { callCommand, startCommand } from '../support/command.ts';
import { openDesk } from '../support/desk.ts';

// Promises: run-names-approvers, unfinished-import-stays-open
test("run ends with 2 and sends nothing when all rows wait for another person's approval", async () => {
  const desk = await openDesk(5, {}, { APPROVE_ALWAYS: 'on' });
  const ran = await desk.limitline('run', 'q4.csv');
  expect(ran.status).toBe(2);
  // 1,001.50 to 1,005.50.
  expect(ran.stderr).toMatch(/5 rows, 5,017\.50 in all, wait for another person.s approval/);
  expect(ran.stderr).toContain('5,017.50');
  expect(ran.stderr).toContain('npx limitline approve "q4" --as');
  expect(ran.stdout).toMatch(/waiting for approval +5 /);
  expect(await desk.json('report', 'q4')).toMatchObject({
    states: { awaiting: 5, queued: 0, done: 0 },
    requested: '0.00',
    inAllRows: '5017.50',
    finished: null,
  });
  expect((await desk.limitline('portfolios')).stdout).toContain('waits for approval');
  const worked = await desk.start('work', '--until-settled').ended;
  expect(worked).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(/"awaiting":\["q4"\].*portfolio q4 waits for another person/),
  });
  // A second run changes nothing.
  expect((await desk.limitline('run', 'q4.csv')).status).toBe(2);
  expect(desk.standIn.counts().made).toMatchObject({ company: 0, limit: 0 });
  expect((await desk.limitline('cancel', 'q4')).status).toBe(0);
  expect(await desk.json('report', 'q4')).toMatchObject({
    states: { awaiting: 0, cancelled: 5 },
    finished: expect.any(String),
  });
});

test('what waits for approval is said in the currency of its file', async () => {
  const desk = await openDesk(0, {}, { APPROVE_ALWAYS: 'on' });
  await writeFile(join(desk.cwd, 'eur.csv'), 'name,requested_limit\nAcme AG,1000 EUR\n');
  const { stderr } = await desk.limitline('run', 'eur.csv');
  expect(stderr.match(/1 row, EUR 1,000\.00 in all, waits for another person's approval/g)).toHaveLength(2);
});

test('a portfolio up to APPROVE_ABOVE is sent at once, and a larger one waits for approval', async () => {
  const below = await openDesk(5, {}, { APPROVE_ABOVE: '5017.50' });
  expect((await below.limitline('run', 'q4.csv')).status).toBe(0);
  expect(below.standIn.counts().made.limit).toBe(5);
  const above = await openDesk(5, {}, { APPROVE_ABOVE: '5017.49' });
  expect((await above.limitline('run', 'q4.csv')).status).toBe(2);
  expect(above.standIn.counts().made.limit).toBe(0);
});

// Promises: rule-binds-every-command, rule-change-audited
test('commands apply the approval rule of the last worker, whatever their own settings are', async () => {
  const desk = await openDesk(5);
  const serve = async (settings: Record<string, string>) => {
    const served = startCommand(['work'], { cwd: desk.cwd, env: { ...desk.env, ...settings } });
    await expect.poll(() => served.output().stderr).toContain('"msg":"working"');
    served.child.kill('SIGTERM');
    expect((await served.ended).status).toBe(0);
    return served.output().stderr;
  };
  expect(await serve({ APPROVE_ABOVE: '5000' })).toContain('what another person has to approve is changed');
  expect((await desk.limitline('import', 'q4.csv', '--yes')).status).toBe(0);
  expect((await desk.json('report', 'q4')).states).toMatchObject({ awaiting: 5, queued: 0 });
  const listed = await desk.limitline('audit', 'list');
  expect(listed.stdout).toMatch(/approval rule changed.*"after":\{"always":false,"above":"5000",/);
  // The rule stays while no worker runs, and settings of a command do not change it.
  const never = { cwd: desk.cwd, env: { ...desk.env, APPROVE_ALWAYS: 'off' } };
  expect((await callCommand(['run', 'q4.csv', '--portfolio', 'other', '--no-results'], never)).status).toBe(2);
  expect(desk.standIn.counts().made.limit).toBe(0);
  expect(await serve({})).toContain('what another person has to approve is changed');
  expect((await desk.limitline('import', 'q4.csv', '--portfolio', 'third', '--yes')).status).toBe(0);
  expect((await desk.json('report', 'third')).states).toMatchObject({ awaiting: 0, queued: 5 });
});
