import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { takeInRound } from '../../jobs/inbox/take-in.ts';
import { startCommand } from '../support/command.ts';
import { openInbox } from '../support/inbox.ts';
import { buyerLines } from '../support/workplace.ts';

/** Enough lines that a process is killed in the middle of the import. */
const LINES = 800;

test('the file of a killed process is imported by the next one, and counts as one import', async () => {
  const { dir, inbox, env, drop, context, names, round } = await openInbox({ env: { LIMITLINE_SCHEDULE: 'off' } });
  await drop('q4.csv', `${buyerLines(LINES).join('\n')}\n`);
  const first = startCommand(['nightly', '--wait'], { cwd: dir, env });
  const rows = async () => (await context.portfolios.read('q4')).states.queued;
  await expect.poll(rows).toBeGreaterThan(0);
  first.child.kill('SIGKILL');
  await first.ended;
  // The lease of the killed process on the folder expires.
  const look = async () => (await takeInRound(await round())).isElsewhere;
  await expect.poll(look, { interval: 500 }).toBe(false);
  expect(await names('done')).toEqual(['<time>-q4.csv']);
  expect(await readdir(inbox)).not.toContain('q4.csv');
  expect(await rows()).toBe(LINES);
  expect(await context.portfolios.allImports('q4')).toMatchObject([
    { number: 1, found: { lines: LINES, rows: LINES } },
  ]);
});
