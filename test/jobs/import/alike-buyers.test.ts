import { describe, expect, test } from 'vitest';
import { resolveCalls } from '../../../jobs/operators/resolve-calls.ts';
import type { Context } from '../../../src/context.ts';
import { whyWords } from '../../../src/ledger/schema/approval.ts';
import type { RowId } from '../../../src/ledger/schema/schema.ts';
import { openWindow } from '../../support/approval-window.ts';

describe("the sum of a buyer's unapproved requests", () => {
  // Promises: alike-buyers-count-as-one, references-make-no-new-buyer
  test('adds up all buyers that may be the same, whatever references their lines give', async () => {
    const { import: bring } = await openWindow();
    const header = 'name,country_code,company_registration_number,buyer_reference,requested_limit';
    const ask = async (portfolio: string, line: string) => (await bring([header, line], { portfolio })).approval;
    expect(await ask('a', 'Acme GmbH,DE,HRB 1,A,50000')).toBeUndefined();
    expect(await ask('b', 'ACME GmbH,DE,,B,50000')).toBeUndefined();
    expect(await ask('c', 'Acme Holding,DE,HRB 1,C,49999')).toBeUndefined();
    expect(await ask('other', 'Another GmbH,DE,HRB 2,O,150000')).toBeUndefined();
    expect(await ask('d', 'Acme,DE,HRB 9,D,2')).toMatchObject({ over: { of: 'buyer', sum: '150001.00' } });
    // The twelve further buyers are more than Limitline compares of one name.
    for (let n = 0; n < 12; n += 1) expect(await ask(`e${n}`, `Many GmbH,DE,,M${n},12000`)).toBeUndefined();
    expect(await ask('f', 'Many GmbH,DE,,M99,6001')).toMatchObject({ over: { sum: '150001.00' } });
    // Buyers of one file count together.
    const lines = Array.from({ length: 3 }, (_none, n) => `Twin GmbH,DE,,T${n},40000`);
    expect((await bring([header, ...lines], { portfolio: 'g' })).approval).toBeUndefined();
    expect(await ask('h', 'Twin GmbH,DE,,T9,30001')).toMatchObject({ over: { sum: '150001.00' } });
  });

  // Promise: alike-buyers-count-as-one
  test('adds up all buyers whose lines or answers name the same company id', async () => {
    const { import: bring, row, context } = await openWindow();
    const header = 'name,country_code,company_id,requested_limit';
    const ask = async (portfolio: string, line: string) => (await bring([header, line], { portfolio })).approval;
    const isAnswered = answeredBy(context, row);
    expect(await ask('a', 'Acme,DE,,50000')).toBeUndefined();
    await isAnswered('a', 'company_7');
    expect(await ask('b', 'Beta,DE,company_7,50000')).toBeUndefined();
    expect(await ask('c', 'Gamma,FR,company_8,150000')).toBeUndefined();
    expect(await ask('d', 'Delta,DE,company_7,50000.01')).toMatchObject({ over: { of: 'buyer', sum: '150000.01' } });
    // A buyer counts as well if the service answers with the same company.
    expect(await ask('e', 'Epsilon,DE,,40000')).toBeUndefined();
    await isAnswered('e', 'company_7');
    expect(await ask('f', 'Epsilon,DE,,20000')).toMatchObject({ over: { of: 'buyer', sum: '160000.00' } });
  });

  test('counts a company id that a person gives for a held call', async () => {
    const { import: bring, hold, context } = await openWindow();
    const header = 'name,country_code,company_id,requested_limit';
    const ask = async (portfolio: string, line: string) => (await bring([header, line], { portfolio })).approval;
    expect(await ask('a', 'Acme,DE,company_7,100000')).toBeUndefined();
    expect(await ask('b', 'Beta,DE,,50000')).toBeUndefined();
    await hold('b');
    expect(await resolveCalls({ portfolio: 'b', line: 2, made: 'company_7', by: 'o' }, context)).toMatchObject({
      rows: 1,
    });
    expect(await ask('c', 'Beta,DE,,0.01')).toMatchObject({ over: { of: 'buyer', sum: '150000.01' } });
  });

  // Promise: alike-buyers-count-as-one
  test('adds up all buyers of one name, whatever country their lines give', async () => {
    const { import: bring } = await openWindow();
    const header = 'name,country_code,company_registration_number,requested_limit';
    const ask = async (portfolio: string, line: string) => (await bring([header, line], { portfolio })).approval;
    expect(await ask('a', 'Acme GmbH,DE,HRB 1,100000')).toBeUndefined();
    expect(await ask('b', 'Acme GmbH,,,40000')).toBeUndefined();
    expect(await ask('c', 'Acme,AT,,10000')).toBeUndefined();
    expect(await ask('d', 'Acme GmbH,CH,,0.01')).toMatchObject({ over: { of: 'buyer', sum: '150000.01' } });
  });

  test('counts each buyer of a file with all its namesakes, even if another line of the file shares some of them', async () => {
    const { import: bring } = await openWindow();
    const header = 'name,country_code,company_registration_number,buyer_reference,requested_limit';
    const ask = async (portfolio: string, ...lines: string[]) =>
      (await bring([header, ...lines], { portfolio })).approval;
    expect(await ask('a', 'Acme GmbH,DE,,A1,1')).toBeUndefined();
    expect(await ask('b', 'Beta GmbH,DE,HRB 2,B1,100000')).toBeUndefined();
    const both = await ask('c', 'Acme GmbH,DE,,A2,1', 'Acme GmbH,DE,HRB 2,A3,60000');
    expect(both).toMatchObject({ over: { of: 'buyer', sum: '160002.00' } });
  });

  // Promise: too-many-namesakes-wait
  test('requires approval if a buyer has more namesakes than the check compares', async () => {
    const { import: bring } = await openWindow();
    const header = 'name,country_code,buyer_reference,requested_limit';
    const lines = Array.from({ length: 2_000 }, (_none, n) => `Acme,DE,A${n},70`);
    expect((await bring([header, ...lines.slice(0, 1_000)], { portfolio: 'a' })).approval).toBeUndefined();
    const { approval: more } = await bring([header, ...lines.slice(1_000)], { portfolio: 'b' });
    expect(more).toMatchObject({ standing: 'waiting', over: { of: 'alike', name: 'Acme', limit: '150000' } });
    const { approval } = await bring([header, 'Acme,DE,B,20000'], { portfolio: 'c' });
    expect(whyWords(approval as never)).toBe(
      'Acme may be one with more than 1,000 other buyers: what they are to get together is not known to be at most 150,000.00.',
    );
    expect((await bring([header, 'Other,DE,O,20000'], { portfolio: 'd' })).approval).toBeUndefined();
  });

  test('includes alike buyers imported by an earlier version from their next line on', async () => {
    const { import: bring, context } = await openWindow();
    const { ledger, keys } = context;
    const header = 'name,country_code,buyer_reference,requested_limit';
    const ask = async (portfolio: string, line: string) => (await bring([header, line], { portfolio })).approval;
    expect(await ask('a', 'Acme,DE,A,100000')).toBeUndefined();
    expect(await ask('b', 'Acme,DE,B,50000')).toBeUndefined();
    const noted = await ledger.keys(keys.buyersAlike('*'));
    expect(noted).toHaveLength(2);
    await ledger.del(...noted);
    expect(await ask('c', 'Acme,DE,B,1')).toMatchObject({ over: { of: 'buyer', sum: '150001.00' } });
  });
});

/** The service answers with this company when that of the portfolio's only row is made. */
function answeredBy({ ledger, keys, atMostOnce }: Context, row: (portfolio: string) => Promise<RowId>) {
  return async (portfolio: string, company: string) => {
    const its = await row(portfolio);
    const { buyer } = JSON.parse((await ledger.hget(keys.row(portfolio, its.key), 'request')) ?? '');
    const claimed = await atMostOnce.claim({ kind: 'company', key: buyer, row: its, buyer }, 'hold');
    if (claimed.is !== 'go') throw new Error(claimed.is);
    await claimed.settle({ is: 'made', id: company, record: {} });
  };
}
