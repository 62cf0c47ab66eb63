import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import type { FaultChange } from '../../src/stand-in/fault-settings.ts';
import { runCommand, startCommand } from '../support/command.ts';
import { freshPrefix } from '../support/ledger.ts';
import { startStandIn } from '../support/stand-in.ts';
import { buyerLines, makeFolder } from '../support/workplace.ts';

/** A folder with a file of buyers, and a stand-in that misbehaves. */
async function openDesk(rows: number, faults: FaultChange, settings: Record<string, string> = {}) {
  const cwd = await makeFolder();
  const standIn = await startStandIn(faults);
  const env = {
    REDIS_URL: inject('redisUrl'),
    LIMITLINE_PREFIX: freshPrefix(),
    SERVICE_URL: standIn.url(),
    SERVICE_CLIENT_ID: 'limitline-sandbox',
    SERVICE_CLIENT_SECRET: 'limitline-sandbox-secret',
    ...settings,
  };
  await writeFile(join(cwd, 'q4.csv'), `${buyerLines(rows).join('\n')}\n`);
  return { cwd, env, standIn };
}

test('a 503 holds its row, and the row and the last words of run name the setting that would not', async () => {
  const rule = { on: 'limit', match: 'HRB 2', fault: 'status', status: 503, times: 1 } as const;
  const { cwd, env } = await openDesk(3, { rules: [rule] }, { SERVICE_NOT_MADE: '502' });
  const ran = await runCommand(['run', 'q4.csv'], { cwd, env });
  expect(ran.status).toBe(2);
  expect(ran.stderr).toContain('SERVICE_NOT_MADE=502,503');
  const results = await runCommand(['report', 'q4', '--format', 'csv'], { cwd, env });
  expect(results.stdout).toContain('name 503 in SERVICE_NOT_MADE');
});

test('rows that are held for another reason name no setting', async () => {
  const rule = { on: 'limit', match: 'HRB 2', fault: 'reset', made: true, times: 1 } as const;
  const { cwd, env } = await openDesk(3, { rules: [rule] });
  const ran = await runCommand(['run', 'q4.csv'], { cwd, env });
  expect(ran.status).toBe(2);
  expect(ran.stderr).not.toContain('SERVICE_NOT_MADE');
});

test('a 503 that is known to make nothing holds no row', async () => {
  const rule = { on: 'limit', fault: 'status', status: 503, times: 3 } as const;
  const { cwd, env } = await openDesk(5, { rules: [rule] }, { SERVICE_NOT_MADE: '502,503' });
  expect(await runCommand(['run', 'q4.csv'], { cwd, env })).toMatchObject({ status: 0 });
});

test('an outage of unknown outcomes is said in plain words by run, by work and by report', async () => {
  const { cwd, env, standIn } = await openDesk(40, { rules: [{ on: 'limit', fault: 'status', status: 502 }] });
  const words = /the outcome of limit requests is unknown \(status 502\)/;
  const run = startCommand(['run', 'q4.csv'], { cwd, env });
  // Progress is written every few seconds where there is no terminal.
  await expect.poll(() => run.output().stderr).toMatch(new RegExp(`rows ended.*${words.source}`));
  const report = await runCommand(['report', 'q4'], { cwd, env });
  expect(report.stdout).toMatch(new RegExp(`Pace: ${words.source}`));
  run.child.kill('SIGTERM');
  expect(await run.ended).toMatchObject({ status: 2 });
  const work = startCommand(['work'], { cwd, env });
  await standIn.setFaults({ rules: [{ on: 'limit', fault: 'status', status: 504 }] });
  await expect.poll(() => work.output().stderr).toMatch(/calls wait: the outcome of limit requests is unknown/);
  await standIn.setFaults({ rules: [] });
  await expect.poll(() => standIn.counts().made.limit).toBeGreaterThan(10);
  work.child.kill('SIGTERM');
  expect(await work.ended).toMatchObject({ status: 0 });
});
