import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { FaultChange } from '../../../src/stand-in/fault-settings.ts';
import { openDesk } from '../../support/desk.ts';
import { buyerLines } from '../../support/workplace.ts';

/** Of nine buyers, one is insolvent, two ask for too much, and one limit call has an unknown outcome. */
const FAULTS: FaultChange = {
  rules: [
    {
      on: 'company',
      match: 'Buyer 1 GmbH',
      fault: 'status',
      status: 422,
      body: { code: 'insolvent', message: 'Buyer 1 GmbH: no' },
    },
    ...['HRB 2', 'HRB 3'].map((match) => ({
      on: 'limit' as const,
      match,
      fault: 'status' as const,
      status: 400,
      body: { message: `limit too high at 2026-11-22T06:22:35Z for ${match}` },
    })),
    { on: 'limit', match: 'HRB 5', fault: 'reset', made: false, times: 1 },
  ],
};

async function openFailed() {
  const desk = await openDesk(9, FAULTS);
  expect((await desk.limitline('run', 'q4.csv')).status).toBe(2);
  const { causes } = await desk.json('report', 'q4', '--causes');
  return { ...desk, causes: causes as { id: string; words: string; rows: number; meaning: string }[] };
}

describe('failures by cause', () => {
  test('group rows without the words that differ from row to row, and choose rows for retry and cancel by id', async () => {
    const { limitline, json, standIn, causes } = await openFailed();
    expect(causes.map(({ words, rows, meaning }) => [words, rows, meaning])).toEqual([
      ['limit too high at … for …', 2, 'refused'],
      expect.arrayContaining([1]),
      expect.arrayContaining([1]),
    ]);
    const [high, ...others] = causes;
    const table = (await limitline('report', 'q4', '--causes')).stdout;
    expect(table).toMatch(new RegExp(`^${high?.id} +2 +[\\d,.]+ +limit +refused, 400$`, 'm'));
    expect(table).toContain(`npx limitline retry "q4" --cause ${high?.id}`);
    expect(Math.max(...table.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(80);

    const planned = await json('retry', 'q4', '--cause', high?.id ?? '', '--dry-run');
    expect(planned).toMatchObject({ dryRun: true, rows: 2, isExact: true, calls: { company: 0, limit: 2 } });
    expect((await json('report', 'q4')).states).toMatchObject({ refused: 3, held: 1 });

    await standIn.setFaults({ rules: [] });
    expect((await limitline('retry', 'q4', '--cause', high?.id ?? '')).stdout).toMatch(/^Portfolio q4: 2 rows go on/);
    expect((await json('report', 'q4')).states).toMatchObject({ refused: 1, queued: 2, held: 1 });
    expect(await limitline('retry', 'q4', '--cause', high?.id ?? '')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(`No refused or held row of portfolio "q4" has cause ${high?.id}.`),
    });

    const insolvent = others.find(({ meaning }) => meaning === 'refused');
    expect(await json('cancel', 'q4', '--cause', insolvent?.id ?? '')).toMatchObject({
      cancelled: 1,
      cause: insolvent?.id,
    });
    expect((await json('report', 'q4')).states).toMatchObject({ refused: 0, queued: 2, held: 1, cancelled: 1 });
  });

  // Promise: retry-choices-together
  test('combine with state, text and line when rows are chosen', async () => {
    const { limitline, json, standIn, causes } = await openFailed();
    await standIn.setFaults({ rules: [] });
    const [high] = causes;
    const of = (...others: string[]) => ['retry', 'q4', '--cause', high?.id ?? '', ...others];
    expect(await json(...of('--state', 'refused', '--error', 'too high', '--dry-run'))).toMatchObject({ rows: 2 });
    expect(await json(...of('--state', 'cancelled', '--dry-run'))).toMatchObject({ rows: 0 });
    for (const [args, why] of [
      [of('--error', 'insolvent'), 'None of the chosen rows of portfolio q4 can be sent again.'],
      [of('--line', '2'), `Line 2 of portfolio "q4" is refused, but its cause is not ${high?.id}.`],
    ] as const) {
      expect(await limitline(...args)).toMatchObject({ status: 1, stderr: expect.stringContaining(why) });
    }
    expect(await json(...of('--line', '3', '--error', 'too high'))).toMatchObject({ retried: 1 });
    expect((await json('report', 'q4')).states).toMatchObject({ refused: 2, queued: 1 });
    expect(await json(...of('--state', 'refused'))).toMatchObject({ retried: 1 });
  });

  test('with held rows: retry and cancel leave these rows held, and print the command that lists them', async () => {
    const { limitline, json, causes } = await openFailed();
    const held = causes.find(({ meaning }) => meaning === 'unknown')?.id ?? '';
    expect(await limitline('retry', 'q4', '--cause', held, '--error', 'unknown')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/can be sent again\. 1 row of this cause is held and stays so\. To say /),
    });
    for (const command of ['retry', 'cancel']) {
      const { stdout, status } = await limitline(command, 'q4', '--cause', held);
      expect(status).toBe(0);
      expect(stdout).toContain('1 row of this cause is held and stays so');
      expect(stdout).toContain('npx limitline report "q4" --state held');
    }
    expect((await json('report', 'q4')).states).toMatchObject({ held: 1, refused: 3 });
  });

  test('have the currency in the head of the sum column when all files name the same one', async () => {
    const { cwd, limitline } = await openDesk(0, { rules: [{ on: 'limit', fault: 'status', status: 422 }] });
    const [head, first] = buyerLines(1);
    await writeFile(join(cwd, 'q4.csv'), `${head},currency\n${first},EUR\n`);
    await limitline('run', 'q4.csv', '--yes');
    expect((await limitline('report', 'q4', '--causes')).stdout).toMatch(/^cause +rows +sum, EUR +step +meaning$/m);
  });

  // Promise: held-cause-offers-no-retry
  test('with held rows only offer no retry command', async () => {
    const { limitline, json } = await openDesk(2, { rules: [{ on: 'limit', fault: 'reset', made: false, times: 2 }] });
    await limitline('run', 'q4.csv');
    expect((await json('report', 'q4')).states).toMatchObject({ held: 2, refused: 0 });
    const { stdout } = await limitline('report', 'q4', '--causes');
    expect(stdout).not.toContain('limitline retry');
    expect(stdout).toContain('npx limitline report "q4" --state held');
  });

  // Promise: filter-by-outcome
  test('leave the choice of rows to --where as well, and an empty or second choice is refused', async () => {
    const { limitline, json } = await openFailed();
    const { rows } = await json('retry', 'q4', '--where', 'text=buyer 2', '--dry-run');
    expect(rows).toBe(1);
    expect(await json('retry', 'q4', '--where', 'outcomes=rejected', '--dry-run')).toMatchObject({ rows: 3 });
    expect(await json('cancel', 'q4', '--where', 'outcomes=approved,needs_answer', '--dry-run')).toMatchObject({
      rows: 0,
    });
    for (const args of [
      ['retry', 'q4', '--where', 'min=1', '--line', '2'],
      ['retry', 'q4', '--cause', 'x', '--where', 'min=1'],
      ['cancel', 'q4', '--where', 'colour=red'],
      ['cancel', 'q4', '--where', 'states=lost'],
      ['cancel', 'q4', '--where', 'outcomes=refused'],
      // An empty shell variable would choose all rows.
      ['cancel', 'q4', '--where', ''],
      ['cancel', 'q4', '--where', 'states='],
      ['cancel', 'q4', '--cause', ''],
      ['retry', 'q4', '--where', '', '--dry-run'],
      ['retry', 'q4', '--error', '', '--dry-run'],
      ['report', 'q4', '--causes', '--format', 'csv'],
    ]) {
      expect((await limitline(...args)).status, args.join(' ')).toBe(1);
    }
    expect((await json('report', 'q4')).states).toMatchObject({ refused: 3, held: 1, cancelled: 0 });
  });
});
