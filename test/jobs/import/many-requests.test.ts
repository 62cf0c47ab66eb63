import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { archivePortfolio } from '../../../jobs/archive/archive-portfolio.ts';
import { MOST_READ } from '../../../src/ledger/rows/buyer-rows.ts';
import { acme, asking, checkedFile, openCorrections, zinc } from '../../support/workplace.ts';

type Place = Awaited<ReturnType<typeof openCorrections>>;

/** Imports a line into `q5` after a check, which has to foresee the same number of invalid lines. */
async function bringIn(place: Place, line: string) {
  const path = join(place.dir, 'checked.csv');
  await writeFile(path, `${asking(line).join('\n')}\n`);
  const foreseen = await checkedFile({ path, portfolio: 'q5' }, place.context);
  const imported = await place.import(asking(line), { portfolio: 'q5' });
  expect(imported.invalid).toBe(foreseen.invalid.length);
  return imported;
}

describe('a corrected amount replaces the previous one', () => {
  // Promise: corrected-amount-replaces
  test("if the buyer's refused request is archived", async () => {
    const place = await openCorrections('"requested_limit":900');
    await place.importLines(acme(900));
    await place.work();
    await place.settled();
    await archivePortfolio(place.context, 'q4', { by: 'alice', signal: new AbortController().signal });
    await place.context.portfolios.pause('q5', 'alice');
    await bringIn(place, acme(1_000));
    expect(await bringIn(place, acme(1_200))).toMatchObject({ replaced: 1, invalid: 0 });
    await place.context.portfolios.resume('q5');
    await place.settled('q5');
    expect(place.requested()).toEqual([1_200]);
  });

  // Promise: corrected-amount-replaces
  // From 513 requests on, Redis hands them out in pages.
  test.each([140, 530])('if the buyer has %i requests', async (count) => {
    const place = await openCorrections();
    const others = Array.from({ length: count }, (_none, n) => acme(n + 1, `R-${n}`));
    await place.import(asking(...others, zinc(1)), { portfolio: 'many' });
    await bringIn(place, acme(1_000));
    expect(await bringIn(place, acme(1_200))).toMatchObject({ replaced: 1, invalid: 0 });
    const { states } = await place.context.portfolios.read('q5');
    expect(states).toMatchObject({ queued: 1, cancelled: 1 });
    expect(await bringIn(place, acme(7, 'R-new'))).toMatchObject({ replaced: 0, invalid: 0 });
  });
});

// Promise: lost-zeros-are-a-problem
test('each request_reference without leading zeros is a problem, even for a buyer with 530 requests', async () => {
  const place = await openCorrections();
  const lines = (digits: number, every = 1) => {
    const numbers = Array.from({ length: 530 / every }, (_none, n) => (n + 1) * every);
    return asking(...numbers.map((n) => acme(n, String(n).padStart(digits, '0'))));
  };
  await place.import(lines(5), { portfolio: 'many' });
  expect(await place.import(lines(1, 10), { portfolio: 'many' })).toMatchObject({ rows: 0, invalid: 53 });
  expect(await place.import(lines(5, 10), { portfolio: 'many' })).toMatchObject({ rows: 53, invalid: 0 });
});

// Promise: over-ten-thousand-requests
test('a line without a reference is a problem if its buyer has more requests than are read', async () => {
  const place = await openCorrections();
  await place.import(asking(acme(1_000)), { portfolio: 'q5' });
  const { keys, ledger, rows } = place.context;
  const [found] = await rows.inState('q5', 'queued', { count: 1 });
  const [known] = found ? await rows.read([found.row]) : [];
  const buyer = known?.request.buyer ?? '';
  const pipeline = ledger.pipeline();
  for (let n = 0; n < MOST_READ + 500; n += 1) {
    pipeline.hset(keys.buyerRows(buyer), `many/row-${n}`, '1');
    pipeline.hset(keys.row('many', `row-${n}`), 'state', 'queued', 'line', n);
  }
  await pipeline.exec();
  const brought = await bringIn(place, acme(1_200));
  const message = expect.stringMatching(/^This buyer has 10501 requests.*1,200.*request_reference of its own\.$/);
  expect(brought).toMatchObject({ rows: 0, invalid: 1, problems: [{ line: 2, column: null, message }] });
  expect(await bringIn(place, acme(1_200, 'R-1'))).toMatchObject({ rows: 1, invalid: 0 });
});
