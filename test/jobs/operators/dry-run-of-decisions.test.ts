import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { takeDecisions } from '../../../jobs/operators/take-decisions.ts';
import { readDecisionsFile } from '../../../src/portfolio/results/decisions-file.ts';
import { fileOf, statusesOf } from '../../support/decisions-said.ts';
import { openFinishedPortfolio } from '../../support/finished-portfolio.ts';
import { makeFolder } from '../../support/workplace.ts';

const DAY_MS = 86_400_000;

test('a dry run says what becomes of a day behind two times of that day in the same file', async () => {
  const { context } = await openFinishedPortfolio(1);
  const begin = Math.ceil(Date.now() / DAY_MS) * DAY_MS;
  const day = new Date(begin).toISOString().slice(0, 10);
  const now = new Date(begin + 33 * 3_600_000);
  const path = join(await makeFolder(), 'a.csv');
  const lines = [
    `bl_q41,declined,0,0,${day}T10:00:00Z`,
    `bl_q41,in_progress,0,0,${day}T12:00:00Z`,
    `bl_q41,declined,0,0,${day}`,
  ];
  await writeFile(path, `buyer_limit_id,status,total_limit,available_limit,decided_at\n${lines.join('\n')}\n`);
  const file = { ...(await readDecisionsFile(path, { now })), name: 'a.csv' };
  const dry = await takeDecisions(file, context, { by: 'olga', now, dryRun: true });
  const real = await takeDecisions(file, context, { by: 'olga', now });
  expect({ taken: real.taken, problems: real.problems.length }).toEqual({
    taken: dry.taken,
    problems: dry.problems.length,
  });
  // The latest decision by its own time counts, and a day means its end.
  expect((await statusesOf('bl_q41', context)).rows).toEqual([dry.would?.rows[0]?.after.status]);
});

// Promise: decisions-before-and-after
test('the first ten rows that change are named, of a dry run as of what is done', async () => {
  const { context } = await openFinishedPortfolio(24);
  const said = Array.from({ length: 24 }, (_one, place) => [`bl_q4${place + 1}`, 'declined', 1] as const);
  const dry = await takeDecisions(fileOf(said), context, { by: 'olga', dryRun: true });
  const done = await takeDecisions(fileOf(said), context, { by: 'olga' });
  expect([dry.would?.rows.length, dry.did, done.did?.rows.length, done.would]).toEqual([10, undefined, 10, undefined]);
  expect(done.did?.rows).toEqual(dry.would?.rows);
});

// Promise: mistyped-status-asked
test('of a status that may be mistyped the first line of the file is named, and so in its dry run', async () => {
  const { context } = await openFinishedPortfolio(2);
  // The first of them goes into the second lane, and the other one into the first.
  const said = Array.from({ length: 600 }, (_one, place) => [`bl_of_nobody_${place}`, 'approved', 1] as const);
  const file = fileOf(
    said.map((one, place) =>
      place === 1 ? (['bl_q41', 'aproved', 1] as const) : place === 300 ? (['bl_q42', 'aproved', 1] as const) : one,
    ),
  );
  for (const dryRun of [true, false]) {
    const { taken, warnings } = await takeDecisions(file, context, { by: 'olga', dryRun });
    const asked = warnings.filter(({ message }) => message.includes('Did you mean')).map(({ at }) => at);
    expect({ dryRun, taken, asked }).toEqual({ dryRun, taken: 2, asked: [3] });
  }
});

test('a dry run says which rows would not follow since they are archived, as the command does', async () => {
  const { context, archive } = await openFinishedPortfolio(1);
  await archive();
  const file = fileOf([['bl_q41', 'declined', 1]]);
  const dry = await takeDecisions(file, context, { by: 'olga', dryRun: true });
  const { left, warnings } = await takeDecisions(file, context, { by: 'olga' });
  expect({ left: dry.left, warnings: dry.warnings.length }).toEqual({ left, warnings: warnings.length });
});
