import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeDryRun, makeLargest } from '../../../jobs/preview/dry-run.ts';
import type { Line } from '../../../src/portfolio/lines/row.ts';
import { openPortfolio } from '../../../src/portfolio/open-portfolio.ts';
import { readSupplier } from '../../../src/portfolio/supplier.ts';
import { makeFolder } from '../../support/workplace.ts';

function lineOf(line: number, requested_limit: string): Line {
  const company = { name: `Buyer ${line}`, address: { state: null } };
  const row = {
    key: `k${line}`,
    buyer: `b${line}`,
    name: company.name,
    company,
    limit: { requested_limit },
    documents: [],
  };
  return { kind: 'row', line, cells: [], changed: [], row, warnings: [] };
}

test('the five largest requests of all batches are kept, and of equal ones the first', () => {
  const largest = makeLargest();
  largest.add([lineOf(2, '9.5'), lineOf(3, '10'), lineOf(4, '100.01')]);
  largest.add([lineOf(5, '100.1'), lineOf(6, '10'), lineOf(7, '2'), lineOf(8, '10.00')]);
  largest.add([{ kind: 'invalid', line: 9, cells: [], changed: [], key: '', problems: [] }]);
  expect(largest.result().map(({ line, requested }) => [line, requested])).toEqual([
    [5, '100.1'],
    [4, '100.01'],
    [3, '10'],
    [6, '10'],
    [8, '10.00'],
  ]);
});

test('a file that leads to no request creates no supplier in the preview', async () => {
  const cwd = await makeFolder();
  const [path, us] = [join(cwd, 'q4.csv'), join(cwd, 'us.csv')];
  await writeFile(path, 'name,country_code,requested_limit\nA,DE,much\nB,DE,more\n');
  await writeFile(us, 'name,country_code\nNordwind GmbH,DE\n');
  const dryRun = makeDryRun({ foresees: null, ratePerS: 1, supplier: await readSupplier(us) });
  const opened = await openPortfolio({ path } as never);
  for await (const batch of opened.batches()) await dryRun.add(batch);
  await opened.close();
  // The preview of the console counts a supplier as a company call.
  expect(dryRun.result()).toMatchObject({ limits: 0, companies: 0, durationS: 0 });
});
