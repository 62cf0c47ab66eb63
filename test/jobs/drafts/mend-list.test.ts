import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lineToMend, makeMendList, PROBLEMS_FILE, readMendPage } from '../../../jobs/drafts/mend-list.ts';
import type { LineToMend, Preview } from '../../../src/portfolio/preview.ts';
import { makeFolder } from '../../support/workplace.ts';

const line = (number: number): LineToMend => ({
  line: number,
  lines: 1,
  kind: 'invalid',
  cells: [`Bürger ${number}`],
  problems: [],
  warnings: [],
});

test('of 100,000 lines to fix the first 5,000 are kept, and each page is read separately', async () => {
  const dir = await makeFolder();
  const list = makeMendList(join(dir, PROBLEMS_FILE));
  for (let number = 1; number <= 100_000; number += 1) await list.add(line(2 * number));
  const problems = await list.end();
  expect(problems).toMatchObject({ lines: 100_000, kept: 5_000, pages: { length: 250 } });
  const path = join(dir, PROBLEMS_FILE);
  expect(await readMendPage(path, problems, { page: 0 })).toEqual(
    Array.from({ length: 20 }, (_none, at) => line(2 * (at + 1))),
  );
  expect((await readMendPage(path, problems, { page: 249 })).at(-1)).toEqual(line(10_000));
  expect(await readMendPage(path, problems, { page: 250 })).toEqual([]);
  const preview = { problems, warnings: { lines: 0, kept: 0, pages: [] } } as unknown as Preview;
  expect(await lineToMend(dir, preview, 4_242)).toEqual(line(4_242));
  await expect(lineToMend(dir, preview, 4_243)).rejects.toThrow(
    'Line 4243 is not among those with problems or warnings',
  );
  await expect(lineToMend(dir, preview, 10_002)).rejects.toThrow('load the page again');
});
