import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cancelRows } from '../../jobs/cancel-rows.ts';
import { makeDryRun, outlookOf } from '../../scripts/commands/dry-run.ts';
import { openPortfolio } from '../../src/portfolio/open-portfolio.ts';
import { openWorkplace } from '../support/workplace.ts';

const HEADER = 'name,country_code,company_registration_number,request_reference,requested_limit';
const acme = (amount: number, reference = '') => `Acme AG,DE,HRB 1,${reference},${amount}`;
const zinc = (amount: number) => `Zinc AG,DE,HRB 2,,${amount}`;

test.each<[string, string[], string[], number[], 'given up'?]>([
  ['nothing', [acme(1)], [acme(2)], []],
  ['a buyer with two rows', [acme(1), acme(2), zinc(1)], [acme(3), zinc(2)], [2]],
  ['two lines for one row', [acme(1)], [acme(2), zinc(1), acme(3), acme(4)], [4, 5]],
  ['lines that are there, or named', [acme(1), acme(2)], [acme(2), acme(1), acme(3), acme(4, 'R')], []],
  ['one of two in the file', [acme(1), acme(2)], [acme(3), acme(1)], []],
  ['one that was given up comes back', [acme(1), acme(2)], [acme(1), acme(3), zinc(1)], [], 'given up'],
])('what an import refuses of corrections is foreseen alike, before it and when it comes again: %s', async (...row) => {
  const [, before, lines, refused, isGivenUp] = row;
  const place = await openWorkplace();
  await place.import([HEADER, ...before]);
  if (isGivenUp) await cancelRows.run({ portfolio: 'q4' }, place.context);
  const path = join(place.dir, 'mended.csv');
  await writeFile(path, `${[HEADER, ...lines].join('\n')}\n`);
  const foreseen = async () => {
    const outlook = await outlookOf(place.context, { portfolio: 'q4', path, reading: {} });
    const opened = await openPortfolio({ path, requiredColumns: [], buyers: outlook.buyers });
    const dryRun = makeDryRun({ foresees: outlook.foresees, ratePerS: undefined });
    const found: number[] = [];
    for await (const batch of opened.batches()) {
      found.push(...(await dryRun.add(batch)).filter(({ kind }) => kind === 'invalid').map(({ line }) => line));
    }
    return found;
  };
  expect(await foreseen()).toEqual(refused);
  const imported = await place.importFile(path);
  expect(imported.problems.map(({ line }) => line)).toEqual(refused);
  expect(await foreseen()).toEqual(refused);
});
