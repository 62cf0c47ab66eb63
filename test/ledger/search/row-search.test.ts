import { describe, expect, test } from 'vitest';
import type { RowRequest } from '../../../src/ledger/schema/row.ts';
import type { RowFilter } from '../../../src/ledger/search/row-filter.ts';
import { makeRequest, openLedger } from '../../support/ledger.ts';

const PORTFOLIO = 'q4';

function requestOf(name: string, amount = '1000', rest: Partial<RowRequest['limit']> = {}): RowRequest {
  return makeRequest({ name, buyer: `buyer of ${name}`, limit: { requested_limit: amount, ...rest } });
}

/** A ledger with one row for each request, at lines 2, 3 … with the keys `row-2`, `row-3` … */
async function openRows(requests: readonly RowRequest[]) {
  const ledger = openLedger();
  for (const [at, request] of requests.entries()) await ledger.rows.put(rowAt(at + 2), at + 2, '1', request);
  return {
    ...ledger,
    keysOf: async (filter: RowFilter) => {
      const { found } = await ledger.rows.page(PORTFOLIO, filter, { count: 50 });
      return found.map(({ row }) => row.key);
    },
  };
}

const rowAt = (line: number) => ({ portfolio: PORTFOLIO, key: `row-${line}` });

/** Every row of the filter, read in pages of this size. */
async function pagesOf(ledger: Awaited<ReturnType<typeof openRows>>, filter: RowFilter, count: number) {
  const pages: string[][] = [];
  let after: string | undefined;
  do {
    const page = await ledger.rows.page(PORTFOLIO, filter, { after, count });
    pages.push(page.found.map(({ row }) => row.key));
    after = page.next;
  } while (after !== undefined);
  return pages;
}

describe('a row is found', () => {
  const requests = [
    requestOf('Müller & Söhne GmbH', '1000', { company_registration_number: 'HRB 1234' }),
    requestOf('Mueller Bau', '2500.50'),
    requestOf('MUSTER AG', '9000', { business_information_source: 'duns', business_information_id: '15-048-3782' }),
    requestOf('Łódź Handel', '9000.01'),
  ];

  // Promise: rows-narrowed-by-outcome
  test.each<[string, string[]]>([
    ['müller', ['row-3', 'row-2']],
    ['Mueller', ['row-3', 'row-2']],
    ['MULLER', ['row-2']],
    ['mue', ['row-3', 'row-2']],
    ['mu', ['row-3', 'row-2', 'row-4']],
    ['muller  sohne', ['row-2']],
    ['müller & s', ['row-2']],
    ['lodz', ['row-5']],
    ['Bau', ['row-3']],
    ['bau mue', ['row-3']],
    ['sohne gmbh', ['row-2']],
    ['ohne', []],
    ['&', []],
    ['HRB 1234', ['row-2']],
    ['hrb-1234', ['row-2']],
    ['1234', ['row-2']],
    ['150483782', ['row-4']],
    ['3', ['row-3']],
    ['03', []],
    ['row-4', ['row-4']],
    ['q4/row-4', ['row-4']],
    ['q5/row-4', []],
  ])('by %s', async (text, keys) => {
    const ledger = await openRows(requests);
    expect(await ledger.keysOf({ text })).toEqual(keys);
  });

  // Promise: rows-narrowed-by-outcome
  test.each<[RowFilter, string[]]>([
    [{}, ['row-2', 'row-3', 'row-4', 'row-5']],
    [{ min: '2500.50', max: '9000' }, ['row-3', 'row-4']],
    [{ min: '9000.005' }, ['row-5']],
    [{ max: '999.99' }, []],
    [{ text: 'mu', min: '2000' }, ['row-3', 'row-4']],
    [{ states: ['done', 'refused'] }, []],
    [{ states: ['queued'], max: '1000.00' }, ['row-2']],
  ])('by %j', async (filter, keys) => {
    const ledger = await openRows(requests);
    expect(await ledger.keysOf(filter)).toEqual(keys);
  });
});

// Promise: rows-narrowed-by-outcome
test('a row is found by its present ids, status and name, and not by its earlier ones', async () => {
  const ledger = await openRows([requestOf('Acme', '100', { company_registration_number: 'HRB 1' })]);
  const row = rowAt(2);
  await ledger.rows.begin(row, 'company');
  await ledger.rows.advance(row, 'company', 'documents', { company: 'company_AB12' });
  await ledger.rows.begin(row, 'documents');
  expect(await ledger.keysOf({ text: 'company_ab12' })).toEqual(['row-2']);

  const renewed = requestOf('Beta', '100', { company_registration_number: 'HRB 2' });
  await ledger.rows.put(row, 900, '2', { ...renewed, buyer: 'buyer of Acme' });
  expect(await ledger.keysOf({ text: 'acme' })).toEqual([]);
  expect(await ledger.keysOf({ text: 'hrb1' })).toEqual([]);
  expect(await ledger.keysOf({ text: 'company_AB12' })).toEqual([]);
  expect(await ledger.keysOf({ text: 'beta' })).toEqual(['row-2']);
  expect(await ledger.keysOf({ text: '900' })).toEqual(['row-2']);

  await ledger.rows.advance(row, 'queued', 'done', {
    limit: 'bl_9',
    documents: ['d1', 'd2'],
    record: { status: 'approved' },
  });
  for (const text of ['bl_9', 'd1', 'D2', 'hrb2']) expect(await ledger.keysOf({ text }), text).toEqual(['row-2']);
  expect(await ledger.keysOf({ status: 'approved', min: '100', states: ['done'] })).toEqual(['row-2']);
  expect(await ledger.keysOf({ status: 'approved', min: '101' })).toEqual([]);
  expect(await ledger.keysOf({ status: 'pending' })).toEqual([]);
});

test('pages follow without gaps, also if rows of several imports share a line', async () => {
  const ledger = await openRows(Array.from({ length: 30 }, (_none, at) => requestOf(`Name ${at % 3}`, String(at + 1))));
  for (let at = 0; at < 25; at += 1) {
    await ledger.rows.put({ portfolio: PORTFOLIO, key: `other-${at}` }, 7, '2', requestOf('Other', '5'));
  }
  for (const filter of [{}, { text: 'name 1' }, { min: '3' }, { text: 'other' }, { states: ['queued' as const] }]) {
    const [whole = []] = await pagesOf(ledger, filter, 100);
    for (const count of [1, 7, 54, 55]) {
      const pages = await pagesOf(ledger, filter, count);
      expect(pages.flat()).toEqual(whole);
      expect(pages.slice(0, -1).every((page) => page.length === count)).toBe(true);
    }
  }
  expect((await pagesOf(ledger, {}, 100)).flat()).toHaveLength(55);
});

// Promise: rows-narrowed-by-outcome
test('rows are found by outcome, with the present meanings of statuses, other conditions and paging', async () => {
  const ledger = await openRows(
    Array.from({ length: 600 }, (_none, at) => requestOf(`Name ${at % 3}`, String(at + 1))),
  );
  const granted = (at: number) => (at % 5 === 0 ? String(at - 1) : at % 7 === 0 ? '0' : String(at + 1));
  for (let at = 0; at < 590; at += 1) {
    const record = { status: at % 11 === 0 ? 'pending' : 'approved', total_limit: granted(at) };
    await ledger.rows.advance(rowAt(at + 2), 'queued', 'done', { record });
  }
  const expected = (test: (at: number) => boolean) =>
    Array.from({ length: 590 }, (_none, at) => at)
      .filter(test)
      .map((at) => `row-${at + 2}`);
  const found = async (filter: RowFilter) => (await pagesOf(ledger, filter, 40)).flat();
  const declined = expected((at) => at % 11 !== 0 && at % 5 !== 0 && at % 7 === 0);
  expect(await found({ outcomes: ['declined'] })).toEqual(declined);
  expect(await found({ outcomes: ['declined'], states: ['refused'] })).toEqual([]);
  expect(await found({ outcomes: ['declined'], min: '100' })).toEqual(
    declined.filter((key) => Number(key.slice(4)) > 100),
  );
  expect((await found({ outcomes: ['declined'], text: 'name 1' })).length).toBe(
    declined.filter((key) => (Number(key.slice(4)) - 2) % 3 === 1).length,
  );
  expect((await found({ outcomes: ['waiting', 'answered'] })).length).toBe(10 + expected((at) => at % 11 === 0).length);
  await ledger.statusMeanings.set('pending', 'declined');
  expect((await found({ outcomes: ['declined'] })).length).toBe(
    declined.length + expected((at) => at % 11 === 0).length,
  );
  expect(await found({ outcomes: ['answered'] })).toEqual([]);
  // A row of an older version whose tally lacks the granted amount is read itself.
  await ledger.connection.hset(ledger.keys.row(PORTFOLIO, 'row-9'), 'tally', 'a|done|8|0||3||approved');
  expect(await found({ outcomes: ['declined'], max: '8' })).toContain('row-9');
  expect(await found({ outcomes: ['declined'] })).toContain('row-9');
});
