import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeBuyerStore } from '../../jobs/buyer-store.ts';
import { makeReplacingForesight } from '../../jobs/foresee-replacing.ts';
import { makeOwnFile } from '../../jobs/own-file.ts';
import { makeBuyerBook } from '../../src/portfolio/buyer-book.ts';
import { makeFileBuyers } from '../../src/portfolio/file-buyers.ts';
import { openPortfolio } from '../../src/portfolio/open-portfolio.ts';
import { mendedRowOf } from '../../src/portfolio/result-columns.ts';
import { openWorkplace } from '../support/workplace.ts';

const HEADER = 'name,country_code,company_registration_number,request_reference,requested_limit';
const acme = (amount: number, reference = '') => `Acme AG,DE,HRB 1,${reference},${amount}`;
const zinc = (amount: number) => `Zinc AG,DE,HRB 2,,${amount}`;

test.each([
  ['nothing', [acme(1)], [acme(2)], []],
  ['a buyer with two rows', [acme(1), acme(2), zinc(1)], [acme(3), zinc(2)], [2]],
  ['two lines for one row', [acme(1)], [acme(2), zinc(1), acme(3), acme(4)], [4, 5]],
  ['lines that are there, or named', [acme(1), acme(2)], [acme(2), acme(1), acme(3), acme(4, 'R')], []],
  ['one of two in the file', [acme(1), acme(2)], [acme(3), acme(1)], []],
])('what an import refuses of corrections is foreseen alike, before it and when it comes again: %s', async (...row) => {
  const [, before, lines, refused] = row;
  const place = await openWorkplace();
  const { rows, portfolios, buyers, persist } = place.context;
  await place.import([HEADER, ...before]);
  const path = join(place.dir, 'mended.csv');
  await writeFile(path, `${[HEADER, ...lines].join('\n')}\n`);
  const foreseen = async (importId: string) => {
    const where = { portfolio: 'q4', importId };
    const open = () => {
      const book = makeBuyerBook(makeFileBuyers({ ...where, store: makeBuyerStore({ buyers, persist }) }), where);
      return openPortfolio({ path, requiredColumns: [], buyers: book });
    };
    const opened = await open();
    const mendedRow = mendedRowOf(opened.header);
    const foresee = makeReplacingForesight({ rows, place: { ...where, mendedRow, file: makeOwnFile(open) } });
    const found: number[] = [];
    for await (const batch of opened.batches()) {
      found.push(...(await foresee(batch.filter((line) => line.kind === 'row'))).keys());
    }
    return found;
  };
  expect(await foreseen('')).toEqual(refused);
  const imported = await place.importFile(path);
  expect(imported.problems.map(({ line }) => line)).toEqual(refused);
  const last = (await portfolios.allImports('q4')).at(-1);
  expect(await foreseen(String(last?.number))).toEqual(refused);
});
