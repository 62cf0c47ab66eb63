import { expect, test } from 'vitest';
import { makeRequest, openLedger } from '../../support/ledger.ts';

const OF = { portfolio: 'q4', number: '1', generation: 0, approval: undefined };
const requestOf = (at: number, more: object = {}) =>
  makeRequest({
    name: `Name ${at}`,
    buyer: `b-${at}`,
    limit: { requested_limit: `${at}.50`, company_registration_number: `HRB ${at}` },
    ...more,
  } as never);

test('the search indexes match the rows after concurrent changes of names, ids and amounts in a growing portfolio', async () => {
  const ledger = openLedger();
  await ledger.rows.putNew(
    OF,
    Array.from({ length: 15 }, (_, at) => ({ key: `r-${at}`, line: at + 2, request: requestOf(at), seen: 0 })),
  );
  const more = Array.from({ length: 300 }, (_, place) => place + 15);
  await Promise.all([
    ledger.rows.putNew(
      OF,
      more.map((at) => ({ key: `r-${at}`, line: at + 2, request: requestOf(at), seen: 0 })),
    ),
    ...Array.from({ length: 15 }, (_, at) =>
      ledger.rows.put(
        { portfolio: 'q4', key: `r-${at}` },
        at + 2,
        '2',
        requestOf(at, {
          name: `Other ${at}`,
          companyId: `company_${at}`,
          limit: { requested_limit: '7', company_registration_number: `HRA ${at}` },
        }),
      ),
    ),
  ]);
  const rows = [...more, ...Array.from({ length: 15 }, (_, at) => at)].map((at) => ({
    portfolio: 'q4',
    key: `r-${at}`,
  }));
  await Promise.all(rows.map((row) => ledger.rows.begin(row, 'company')));
  await Promise.all(
    rows.map((row) => ledger.rows.advance(row, 'company', 'limit', { company: `company_of_${row.key}` })),
  );
  expect(await ledger.portfolios.compare(['q4'])).toEqual([]);
  const { connection, keys } = ledger;
  expect(await connection.zcard(keys.names('q4'))).toBe(315);
});
