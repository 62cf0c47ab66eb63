import { expect, test } from 'vitest';
import { makePortfolios } from '../../../src/ledger/portfolios/portfolios.ts';
import { makeRows } from '../../../src/ledger/rows/rows.ts';
import { buyerLines, foundBy, openWorkplace } from '../../support/workplace.ts';

const HEADER = 'name,country_code,company_registration_number,requested_limit,buyer_reference,request_reference';

test('rows are found by their references, also by a buyer reference that another line gave', async () => {
  const place = await openWorkplace();
  await place.import([
    HEADER,
    'Acme GmbH,DE,HRB 1,1000,B-7,R 1',
    'Acme GmbH,DE,HRB 1,2000,,',
    'Beta AG,DE,HRB 2,1000,,r-2',
  ]);
  const { rows } = place.context;
  const linesOf = async (text: string) => {
    const { found } = await rows.page('q4', { text }, { count: 9 });
    return found.map(({ result }) => result.line);
  };
  expect(await linesOf('b-7')).toEqual([2, 3]);
  expect(await linesOf('r1')).toEqual([2]);
  expect(await linesOf('R-2')).toEqual([4]);
  expect(await linesOf('r-3')).toEqual([]);
});

test('a corrected row is found by its new content only, and a replaced row by its own', async () => {
  const place = await openWorkplace({ faults: { rules: [{ on: 'limit', fault: 'status', status: 400 }] } });
  await place.import([HEADER, 'Acme GmbH,DE,HRB 1,1000,,', 'Beta AG,DE,HRB 2,1000,,R-2']);
  await place.work();
  await place.settled();
  await place.import([HEADER, 'Acme GmbH,DE,HRB 1,1500,,', 'Beta AG,DE,HRB 22,1700,,R-2']);
  const { rows } = place.context;
  const amountsOf = async (text: string) => {
    const { found } = await rows.page('q4', { text }, { count: 9 });
    return found.map(({ result }) => `${result.request.name} ${result.request.limit.requested_limit}`);
  };
  expect((await amountsOf('acme')).toSorted()).toEqual(['Acme GmbH 1000', 'Acme GmbH 1500']);
  expect(await amountsOf('beta')).toEqual(['Beta AG 1700']);
  expect(await amountsOf('HRB22')).toEqual(['Beta AG 1700']);
  expect(await amountsOf('HRB2')).toEqual([]);
  expect(await amountsOf('R-2')).toEqual(['Beta AG 1700']);
  expect((await rows.page('q4', { min: '1700' }, { count: 9 })).found).toHaveLength(1);
  expect(await place.context.portfolios.compare(['q4'])).toEqual([]);
});

test('with SEARCH_INDEX=off search refuses, and reconcile builds the index once it is on', async () => {
  const place = await openWorkplace({ env: { SEARCH_INDEX: 'off' } });
  await place.import(buyerLines(3));
  const { rows, ledger, keys } = place.context;
  await expect(rows.page('q4', { text: 'buyer 2' }, { count: 9 })).rejects.toThrow('SEARCH_INDEX=off');
  expect((await rows.page('q4', { text: '3' }, { count: 9 })).found).toHaveLength(1);
  expect(await foundBy(place.context)).toEqual([]);
  expect(await ledger.exists(keys.names('q4'), keys.columns('q4'))).toBe(0);

  const searched = makeRows({ ...place.context, connection: ledger, canaryRefusals: 0 });
  expect(
    await foundBy({ ...place.context, rows: searched, portfolios: makePortfolios({ connection: ledger, keys }) }),
  ).toEqual([{ portfolio: 'q4', finding: 'rows were missing from the search index; this is corrected', rows: 3 }]);
  expect((await searched.page('q4', { text: 'buyer 2' }, { count: 9 })).found).toHaveLength(1);
});

// Promise: rows-narrowed-by-outcome
test('in a large portfolio each word of a name finds its rows once, across pages of every size', async () => {
  const place = await openWorkplace();
  const names = Array.from({ length: 1_100 }, (_none, at) =>
    at % 100 === 7 ? `Haus ${at} Bauer Bau & Söhne GmbH` : `Firma ${at} KG`,
  );
  const lines = names.map((name, at) => `${name},DE,HRB ${at + 1},1000,,`);
  await place.import([HEADER, ...lines, 'Haus 7 Bauer Bau & Söhne GmbH,DE,HRB 8,2000,,', 'Bau AG,DE,HRB 5000,1,,']);
  await place.import([HEADER, 'Bau Nord,DE,HRB 6000,1,,'], { portfolio: 'other' });
  const linesOf = async (text: string, count: number) => {
    const found: number[] = [];
    let after: string | undefined;
    do {
      const page = await place.context.rows.page('q4', { text }, { after, count });
      found.push(...page.found.map(({ result }) => result.line));
      after = page.next;
    } while (after !== undefined);
    return found;
  };
  const builders = names.flatMap((name, at) => (name.startsWith('Haus') ? [at + 2] : []));
  for (const count of [1, 5, 100]) {
    expect((await linesOf('soehne bau', count)).toSorted((one, other) => one - other)).toEqual([...builders, 1_102]);
    // The name that begins with the word is first.
    const [first, ...others] = await linesOf('bau', count);
    expect(first).toBe(1_103);
    expect(others.toSorted((one, other) => one - other)).toEqual([...builders, 1_102]);
  }
  expect(await linesOf('bau gmbh', 10)).toHaveLength(12);
  expect(await linesOf('nord', 10)).toEqual([]);
});
