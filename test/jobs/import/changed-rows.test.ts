import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cancelRows } from '../../../jobs/operators/cancel-rows.ts';
import { checkedFile, openWorkplace } from '../../support/workplace.ts';

const HEADER = 'name,country_code,company_registration_number,request_reference,requested_limit';
const asking = (amount: number) => [HEADER, `Buyer 1 GmbH,DE,HRB 1,R-1,${amount}`];

// Promises: unsent-row-takes-new-content, sent-as-said-last
test('a corrected amount is sent instead of the old one, even while a job with the old one runs', async () => {
  const place = await openWorkplace({ faults: { rules: [{ on: 'limit', fault: 'status', status: 429 }] } });
  await place.import(asking(1_000));
  await place.work();
  await expect.poll(() => place.standIn.counts().requests.limit[429]).toBeGreaterThan(0);
  await cancelRows({ portfolio: 'q4', awaitMs: 30_000 }, place.context);
  expect(await place.import(asking(2_000))).toMatchObject({ rows: 1, invalid: 0 });
  await place.standIn.setFaults({ rules: [] });
  expect(await place.settled()).toMatchObject({ states: { done: 1 }, requested: '2000.00', granted: '2000.00' });
  const sent = place.standIn.things('limit').map(({ body }) => Object(body).requested_limit);
  expect(sent).toEqual([2_000]);
});

// Promise: changed-after-requested
test('a line that differs from its sent request is a problem, and the request stays unchanged', async () => {
  const place = await openWorkplace();
  await place.import(asking(1_000));
  await place.work();
  await place.settled();
  const imported = await place.import(asking(2_000));
  expect(imported).toMatchObject({ rows: 0, invalid: 1 });
  expect(imported.problems).toMatchObject([
    {
      line: 2,
      column: 'requested_limit',
      value: '2000',
      message:
        'changed after it was requested (sent: 1,000); the request stays as it was sent. A request_reference of its own would request a SECOND limit. If no second one is meant, write the line as it was sent, or leave it out',
    },
  ]);
  expect(await place.settled()).toMatchObject({ lines: 1, rows: 1, kept: 1, states: { done: 1 }, granted: '1000.00' });
  // The original line again is no problem, and leads to no further call.
  expect(await place.import(asking(1_000))).toMatchObject({ rows: 1, invalid: 0, problems: [] });
  expect(place.standIn.counts().made.limit).toBe(1);
});

// Promise: changed-after-requested
test('a line that lacks a sent field is a problem whose message suggests --map', async () => {
  const place = await openWorkplace();
  const [header, line] = ['name,country_code,city,request_reference,requested_limit', 'Oak AG,DE,Bonn,R1,1000'];
  await place.import([header, line]);
  await place.work();
  await place.settled();
  const { problems } = await place.import([header.replace('city', 'Sitz'), line]);
  expect(problems.map(({ message }) => message)).toEqual([
    'changed after it was requested (city differs); the request stays as it was sent. It was sent with city, which this line lacks: if the file has it under another name, say so with --map, or leave the line out',
  ]);
});

// Promise: changed-after-requested
test('a line with a column that was kept before is a problem whose message says how to leave it out again', async () => {
  const place = await openWorkplace();
  const lines = ['name,country_code,Reparto,request_reference,requested_limit', 'Oak AG,IT,Rossi,R1,1000'];
  await place.import(lines);
  await place.work();
  await place.settled();
  const known = lines.map((line) => line.replace('Reparto', 'Cognome'));
  const { problems } = await place.import(known);
  expect(problems.map(({ message }) => message)).toEqual([
    'changed after it was requested (contact_last_name differs); the request stays as it was sent. It was sent without contact_last_name. If the file had the same column then, say --map "COLUMN=" with its name, so that it is not sent. Otherwise leave the cell empty, or leave the line out',
  ]);
  const reading = { mapping: { columns: { Cognome: null }, constants: {} } };
  expect(await place.import(known, { reading })).toMatchObject({ rows: 1, invalid: 0, problems: [] });
});

test('two portfolios with one reference for two buyers get one limit and one refusal', async () => {
  const place = await openWorkplace();
  await place.import(asking(1_000));
  await place.import([HEADER, 'Gamma SA,FR,77,R-1,2000'], { portfolio: 'twin' });
  await place.work();
  const [first, second] = [await place.settled(), await place.settled('twin')];
  expect([first.states.done + second.states.done, first.states.refused + second.states.refused]).toEqual([1, 1]);
  expect(place.standIn.counts().made.limit).toBe(1);
});

// Promise: sent-in-another-currency
test.each([
  ['the same portfolio', 'q4'],
  ['another portfolio', 'q5'],
])('a sent request keeps its currency when a later file of %s names another one', async (_case, portfolio) => {
  const place = await openWorkplace();
  const lines = (currency: string, more = '') => [
    'name,country_code,company_registration_number,currency,requested_limit',
    `Acme AG,DE,HRB 1,${currency},1000`,
    `Zinc AG,DE,HRB 2,${currency},2000${more}`,
  ];
  await place.import(lines('EUR'));
  await place.work();
  await place.settled();
  const path = join(place.dir, 'usd.csv');
  await writeFile(path, lines('USD', '\nTin AG,DE,HRB 3,USD,3000\n').join('\n'));
  const checked = await checkedFile({ path, portfolio }, place.context);
  const { problems, rows, requestedBefore } = await place.importFile(path, {}, { portfolio });
  expect({ rows, requestedBefore }).toEqual({ rows: 1, requestedBefore: 0 });
  const message = expect.stringMatching(
    /^changed after it was requested \(sent in EUR, and this file names USD\); the request stays/,
  );
  const changed = [2, 3].map((line) => ({ line, column: 'currency', value: 'USD', message }));
  expect(problems).toEqual(changed);
  expect(checked.lines.flatMap((line) => (line.kind === 'invalid' ? line.problems : []))).toEqual(changed);
  await place.settled(portfolio);
  expect(place.standIn.counts().made.limit).toBe(3);
  // A file without a currency, or with the sign of the same currency, states the same request.
  await writeFile(path, lines('€').join('\n'));
  expect(await place.importFile(path, {}, { portfolio })).toMatchObject({
    rows: 2,
    requestedBefore: 2,
    problems: [],
  });
  await writeFile(path, lines('').join('\n'));
  expect(await place.importFile(path, {}, { portfolio })).toMatchObject({
    rows: 2,
    requestedBefore: 2,
    problems: [],
  });
});

// Promise: sent-in-another-currency
test.each([
  ['that names none', ''],
  ['with a sign of several', '$'],
])('a sent request keeps its currency after a file %s', async (_case, between) => {
  const place = await openWorkplace();
  await place.import(lineIn('USD'));
  await place.work();
  await place.settled();
  // The file in between is imported twice, like a weekly list.
  for (let time = 0; time < 2; time += 1) {
    expect(await place.import(lineIn(between))).toMatchObject({ requestedBefore: 1, problems: [] });
  }
  expect(await place.import(lineIn('CAD'))).toMatchObject({ rows: 0, problems: [{ value: 'CAD' }] });
  expect(await place.import(lineIn('USD'))).toMatchObject({ requestedBefore: 1, problems: [] });
});

// Promise: sent-in-another-currency
test('a sent request keeps its currency when only the last line of a later file names another one', async () => {
  const place = await openWorkplace();
  await place.import(lineIn('USD'));
  await place.work();
  await place.settled();
  const empty = Array.from({ length: 300 }, (_none, n) => `None ${n},DE,HRB 9${n},,`);
  const later = [...lineIn(''), ...empty, 'Zinc AG,DE,HRB 2,EUR,500'];
  const imported = await place.import(later);
  expect(imported.problems).toContainEqual(expect.objectContaining({ line: 2, column: 'currency', value: 'EUR' }));
});

test("a currency name of the team's own is compared without case", async () => {
  const place = await openWorkplace();
  await place.import(lineIn('lcy'));
  await place.work();
  await place.settled();
  expect(await place.import(lineIn('LCY'))).toMatchObject({ requestedBefore: 1, problems: [] });
});

function lineIn(currency: string): string[] {
  return [
    'name,country_code,company_registration_number,currency,requested_limit',
    `Acme AG,DE,HRB 1,${currency},1000`,
  ];
}

test('an unsent request takes the currency of a later file', async () => {
  const place = await openWorkplace();
  const lines = (currency: string) => ['name,country_code,currency,requested_limit', `Acme AG,DE,${currency},1000`];
  await place.import(lines('EUR'));
  expect(await place.import(lineIn('USD'))).toMatchObject({ rows: 1, problems: [] });
});
