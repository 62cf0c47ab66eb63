import { expect, test } from 'vitest';
import { makeSeveralLimits } from '../../../../jobs/nightly/finance/buyers-without-limit.ts';
import { contentDigest } from '../../../../src/ledger/calls/claim-answers.ts';
import type { RowState } from '../../../../src/ledger/schema/row.ts';
import { requestKey } from '../../../../src/portfolio/identity/identity.ts';
import { financeItems, makeFoundList, makeRequest, openLedger, walkAll } from '../../../support/ledger.ts';
import { openWorkplace } from '../../../support/workplace.ts';

const HEADER = 'name,company_registration_number,request_reference,requested_limit';

async function openDone(lines: readonly string[], faults: { rules: object[] } = { rules: [] }) {
  const place = await openWorkplace({ faults } as Parameters<typeof openWorkplace>[0]);
  await place.work();
  const bring = async (more: readonly string[], portfolio = 'q4') => {
    await place.import([HEADER, ...more], { portfolio });
    await place.settled(portfolio);
  };
  await bring(lines);
  const named = async () => (await financeItems(place.context)).filter(({ check }) => check === 'several limits');
  return { ...place, bring, named };
}

// Promise: several-limits-named
test('a buyer with a second limit from a corrected line is listed with both amounts', async () => {
  const { bring, named } = await openDone(['Acme GmbH,HRB 1,,1000', 'Beta GmbH,HRB 2,,3000']);
  expect(await named()).toEqual([]);
  await bring(['Acme GmbH,HRB 1,,2000', 'Beta GmbH,HRB 2,,3000']);
  const says = 'the buyer has several limits here, and no request_reference says that more than one is meant';
  expect(await named()).toEqual([
    {
      ...{ check: 'several limits', portfolio: 'q4', key: expect.any(String), line: 2, name: 'Acme GmbH', says },
      ...{ requested: '1000', isMended: false, detail: expect.stringMatching(/^bl_\w+; and bl_\w+ \(2,000.00\)$/) },
    },
    expect.objectContaining({ name: 'Acme GmbH', requested: '2000', detail: expect.stringContaining('(1,000.00)') }),
  ]);
});

// Promise: several-limits-named
test('limits of one buyer with references, or of two portfolios, are not listed', async () => {
  const { bring, named } = await openDone([
    'Acme GmbH,HRB 1,,1000',
    'Beta GmbH,HRB 2,B1,1000',
    'Beta GmbH,HRB 2,B2,2000',
  ]);
  await bring(['Acme GmbH,HRB 1,A2,2000']);
  await bring(['Acme GmbH,HRB 1,,3000'], 'q5');
  expect(await named()).toEqual([]);
});

// Promise: several-limits-named
test('a declined limit, or one with nothing granted, does not count as a second limit', async () => {
  const rules = [
    { on: 'limit', match: 'HRB 1', fault: 'decision', status: 'declined', share: 0 },
    { on: 'limit', match: 'HRB 2', fault: 'decision', status: 'approved', share: 0 },
  ];
  const { context, bring, named } = await openDone(['Acme GmbH,HRB 1,,2000', 'Beta GmbH,HRB 2,,2000'], { rules });
  await context.statusMeanings.set('declined', 'declined');
  await bring(['Acme GmbH,HRB 1,,1000', 'Beta GmbH,HRB 2,,1000']);
  expect(await named()).toEqual([]);
});

test('all limits of a buyer are listed once, however many requests there are', async () => {
  const ledger = openLedger();
  const buyer = contentDigest('Many');
  await ledger.portfolios.startImport('q4', { id: 'f', fileName: 'q4.csv', reading: '{}' });
  const put = async (amount: string, state: RowState) => {
    const row = { portfolio: 'q4', key: requestKey({ buyer, requestedLimit: amount }) };
    await ledger.rows.put(row, 2, '1', makeRequest({ name: 'Many', buyer, limit: { requested_limit: amount } }));
    await ledger.rows.advance(row, 'queued', state, {});
  };
  await Promise.all(Array.from({ length: 300 }, (_none, n) => put(String(n + 1), n % 2 === 0 ? 'done' : 'refused')));
  const sink = makeFoundList();
  await walkAll(ledger, [makeSeveralLimits({ rows: ledger.rows, sink, meanings: new Map() })]);
  expect(sink.items).toHaveLength(150);
  expect(sink.items[0]?.detail).toMatch(/ and 144 more$/);
});
