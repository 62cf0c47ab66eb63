import { expect, test } from 'vitest';
import { callCommand } from '../../support/command.ts';
import { ownRedis } from '../../support/ledger.ts';
import { makeFolder } from '../../support/workplace.ts';

test('schedule prints the nightly tasks and that no process is on duty; schedule run runs one and audits it', async () => {
  const cwd = await makeFolder();
  const env = { ...ownRedis(), LIMITLINE_SCHEDULE: 'audit Mon-Fri 02:15 Europe/Berlin' };
  const limitline = (...args: string[]) => callCommand(args, { cwd, env });
  const shown = await limitline('schedule');
  expect([shown.status, shown.stdout]).toEqual([0, expect.stringContaining('NOBODY IS ON DUTY')]);
  expect(shown.stdout).toContain('each working day at 02:15, Berlin time');
  expect(shown.stdout).toContain('puts no portfolio into files (LIMITLINE_KEEP_DAYS is not set)');
  expect(shown.stdout.split('\n').find((line) => line.startsWith('archive '))?.length).toBeLessThanOrEqual(80);
  const kept = callCommand(['schedule'], { cwd, env: { ...env, LIMITLINE_KEEP_DAYS: '90' } });
  expect((await kept).stdout).not.toContain('LIMITLINE_KEEP_DAYS');

  const ran = await limitline('schedule', 'run', 'audit');
  expect([ran.status, ran.stdout]).toEqual([
    0,
    'audit: All audit entries are kept (LIMITLINE_AUDIT_DAYS is not set).\n',
  ]);
  const { account, tasks, onDuty, settingsDiffer } = JSON.parse((await limitline('schedule', '--json')).stdout);
  expect({ account, onDuty, settingsDiffer }).toEqual({ account: 'stand-in', onDuty: [], settingsDiffer: false });
  expect(tasks[0]).toMatchObject({
    task: 'audit',
    entries: [{ pattern: '15 2 * * 1,2,3,4,5', tz: 'Europe/Berlin' }],
    last: { is: 'well', by: expect.stringMatching(/^command line/) },
    underWay: null,
  });
  expect(tasks[3]).toMatchObject({ task: 'retry', entries: [], next: null, last: null });
  const trail = await limitline('audit', 'list');
  expect(trail.stdout).toMatch(/nightly task asked for, begun {2}"audit"/);
  expect(trail.stdout).toMatch(/command line \(\w+\) {2}nightly task run, done/);

  expect((await limitline('schedule', 'run', 'everything')).status).toBe(1);
});
