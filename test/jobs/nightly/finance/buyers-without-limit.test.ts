import { expect, test } from 'vitest';
import { makeBuyersWithoutLimit } from '../../../../jobs/nightly/finance/buyers-without-limit.ts';
import { contentDigest } from '../../../../src/ledger/calls/claim-answers.ts';
import type { RowState } from '../../../../src/ledger/schema/row.ts';
import { makeFoundList, makeRequest, openLedger, walkAll } from '../../../support/ledger.ts';

const DAY_MS = 86_400_000;

/** A later import that leaves rows of the first one out. */
const LATER_FILE = { importId: '2', begun: '9' };

/** Stores rows of one buyer in the given states, and returns their keys. */
async function putBuyer(
  { rows, portfolios }: ReturnType<typeof openLedger>,
  name: string,
  states: readonly RowState[],
  portfolio = 'q4',
): Promise<string[]> {
  await portfolios.startImport(portfolio, { id: 'f', fileName: `${portfolio}.csv`, reading: '{}' });
  const keys = states.map((_state, n) => contentDigest(`${name} ${portfolio} ${n}`));
  for (const [n, state] of states.entries()) {
    const row = { portfolio, key: keys[n] ?? '' };
    const request = makeRequest({ name, buyer: contentDigest(name), limit: { requested_limit: String(n + 1) } });
    await rows.put(row, n + 2, '1', request);
    if (state !== 'queued') await rows.advance(row, 'queued', state, {});
  }
  return keys;
}

async function findIn(ledger: ReturnType<typeof openLedger>, atMs = Date.now()) {
  const sink = makeFoundList();
  await walkAll(ledger, [makeBuyersWithoutLimit({ rows: ledger.rows, sink, atMs })]);
  return sink.items;
}

// Promise: buyers-without-limit-once
test('a buyer is listed once, with its latest row, if none of its requests has or may get a limit', async () => {
  const ledger = openLedger();
  const [refused] = await putBuyer(ledger, 'Refused', ['refused']);
  await putBuyer(ledger, 'Twice', ['refused', 'refused']);
  const [again] = await putBuyer(ledger, 'Twice', ['refused'], 'q5');
  const [givenUp] = await putBuyer(ledger, 'Given up', ['cancelled']);
  await putBuyer(ledger, 'Has one', ['refused', 'done']);
  await putBuyer(ledger, 'Had one before', ['skipped', 'refused']);
  await putBuyer(ledger, 'May get one', ['refused']);
  await putBuyer(ledger, 'May get one', ['queued'], 'q5');
  await putBuyer(ledger, 'May have one', ['refused', 'held']);
  await putBuyer(ledger, 'Waits', ['refused', 'awaiting']);
  // The rows were stored within one millisecond, so the later end is set by hand.
  await ledger.connection.hset(ledger.keys.row('q5', again ?? ''), 'updated', Date.now() + 60_000);

  const items = await findIn(ledger);
  expect(items.map(({ name, portfolio, key, says }) => [name, portfolio, key, says]).sort()).toEqual([
    ['Given up', 'q4', givenUp, 'its latest request was given up, for less than a day'],
    ['Refused', 'q4', refused, 'its latest request was refused, for less than a day'],
    ['Twice', 'q5', again, 'its latest request was refused, for less than a day'],
  ]);
  expect(items.find(({ name }) => name === 'Given up')?.command).toBe(`retry q4 --state cancelled --row ${givenUp}`);
  const later = await findIn(ledger, Date.now() + 8 * DAY_MS);
  expect(later.every(({ says }) => says.endsWith('for more than a week'))).toBe(true);
});

test('all requests of a buyer count, however many there are', async () => {
  const ledger = openLedger();
  const states = Array.from({ length: 140 }, (): RowState => 'refused');
  await putBuyer(ledger, 'Refused', states);
  await putBuyer(ledger, 'Has one', [...states, 'done']);
  expect((await findIn(ledger)).map(({ name }) => name)).toEqual(['Refused']);
});

// Promise: left-out-is-given-up
test('a replaced row is ignored, and a row that a later file left out counts as given up', async () => {
  const ledger = openLedger();
  const [key = ''] = await putBuyer(ledger, 'Mended', ['refused']);
  const problem = { step: 'limit', message: 'replaced by line 2 of b.csv' } as const;
  const request = makeRequest({ buyer: contentDigest('Mended'), limit: { requested_limit: '7' } });
  const next = { portfolio: 'q4', key: contentDigest('next') };
  await ledger.rows.put(next, 2, '2', request, '', { key, problem });
  await ledger.rows.advance(next, 'queued', 'refused', {});
  expect((await findIn(ledger)).map(({ key }) => key)).toEqual([next.key]);
  const [gone = ''] = await putBuyer(ledger, 'Left out', ['refused'], 'q6');
  const isLeftOut = await ledger.rows.leaveOut({ portfolio: 'q6', key: gone }, LATER_FILE, problem);
  expect(isLeftOut).toBe(true);
  const [kept = ''] = await putBuyer(ledger, 'Left out of one', ['refused'], 'q6');
  await ledger.rows.leaveOut({ portfolio: 'q6', key: kept }, LATER_FILE, problem);
  await putBuyer(ledger, 'Left out of one', ['done'], 'q7');
  const found = await findIn(ledger);
  expect(found.map(({ key, says }) => [key, says]).sort()).toEqual(
    [
      [next.key, 'its latest request was refused, for less than a day'],
      [gone, 'its latest request was given up, for less than a day'],
    ].sort(),
  );
  const { command } = found.find(({ key }) => key === gone) ?? {};
  expect(command).toBe(`retry q6 --state cancelled --row ${gone}`);
});
