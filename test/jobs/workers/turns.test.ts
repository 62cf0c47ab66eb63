import { expect, test } from 'vitest';
import { feed } from '../../../jobs/rows/feed.ts';
import { makeRequest } from '../../support/ledger.ts';
import { openWorkplace } from '../../support/workplace.ts';

const LARGE = 800;
const SMALL = 40;
const CALLS_PER_S = 50;
/** A row takes two calls, for its company and for its limit. */
const ROWS_PER_S = CALLS_PER_S / 2;

// Promise: portfolios-take-turns
test('a small portfolio imported behind a large one has its turns at once', async () => {
  const place = await openWorkplace({ env: { SERVICE_RATE_PER_S: String(CALLS_PER_S) } });
  const { context } = place;
  const put = async (portfolio: string, count: number) => {
    const importing = await context.portfolios.startImport(portfolio, { id: 'i', fileName: 'f.csv', reading: '{}' });
    const putLine = (line: number) => {
      const buyer = `${portfolio}-${line}`;
      const request = makeRequest({ buyer, company: { name: buyer } });
      return context.rows.put({ portfolio, key: buyer }, line, 'i', request);
    };
    // So many at a time that a busy machine has done them all before any command is given up.
    for (let from = 0; from < count; from += 250) {
      await Promise.all(Array.from({ length: Math.min(250, count - from) }, (_, n) => putLine(from + n + 2)));
    }
    await feed(context);
    await importing.end();
  };
  const done = async (portfolio: string) => (await context.portfolios.read(portfolio)).states.done;

  await put('large', LARGE);
  await Promise.all([place.work(), place.work()]);
  await expect.poll(() => done('large')).toBeGreaterThan(ROWS_PER_S);
  const before = await done('large');
  await put('small', SMALL);
  await place.settled('small');
  expect(await done('small')).toBe(SMALL);
  // In turns, as many of the large one's rows go meanwhile, and some more where the machine stalls while it puts the small one's
  // rows in. Behind the large one it would be all of them.
  expect((await done('large')) - before).toBeLessThan(LARGE / 2);
});
