import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { takeDecisions } from '../../../jobs/operators/take-decisions.ts';
import { readDecisionsFile } from '../../../src/portfolio/results/decisions-file.ts';
import { openFinishedPortfolio } from '../../support/finished-portfolio.ts';
import { makeFolder } from '../../support/workplace.ts';

const DAY_MS = 86_400_000;

test('a file of a day that is taken again on the next day does not undo the correction that was taken on that day', async () => {
  const { context } = await openFinishedPortfolio(1);
  const path = join(await makeFolder(), 'a.csv');
  const take = async (lines: string, now: Date, name = 'a.csv') => {
    await writeFile(path, `buyer_limit_id,status,decided_at\n${lines}\n`);
    const file = await readDecisionsFile(path, { now });
    return takeDecisions({ ...file, name }, context, { by: 'olga', now });
  };
  const begin = Math.ceil(Date.now() / DAY_MS) * DAY_MS;
  const day = new Date(begin).toISOString().slice(0, 10);
  const at = (hours: number) => new Date(begin + hours * 3_600_000);
  expect(await take(`bl_q41,rejected,${day}`, at(10))).toMatchObject({ taken: 1 });
  expect(await take('bl_q41,in_progress,', at(15), 'correction.csv')).toMatchObject({ taken: 1 });
  const { taken, problems } = await take(`bl_q41,rejected,${day}`, at(33));
  expect({ taken, problems }).toMatchObject({
    taken: 0,
    problems: [{ message: expect.stringContaining('corrected') }],
  });
  expect((await context.portfolios.read('q4')).statuses).toEqual({ in_progress: 1 });
  expect(await take(`bl_q41,declined,${day}`, at(34))).toMatchObject({ taken: 1 });
});
