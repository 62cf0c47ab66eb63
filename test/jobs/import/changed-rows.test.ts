import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cancelRows } from '../../../jobs/operators/cancel-rows.ts';
import { checkedFile, openWorkplace } from '../../support/workplace.ts';

const HEADER = 'name,country_code,company_registration_number,request_reference,requested_limit';
const asking = (amount: number) => [HEADER, `Buyer 1 GmbH,DE,HRB 1,R-1,${amount}`];

// Promises: unsent-row-takes-new-content, sent-as-said-last
test('a corrected amount is what is sent, even while a job with the old one is running', async () => {
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
test('a line that differs from what was sent is a problem, and the request stays as it was', async () => {
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
  // The same words again are no problem, and ask for nothing.
  expect(await place.import(asking(1_000))).toMatchObject({ rows: 1, invalid: 0, problems: [] });
  expect(place.standIn.counts().made.limit).toBe(1);
});

// Promise: changed-after-requested
test('a line that only lacks what was sent is told to find the column', async () => {
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

test('of two portfolios that use one reference at the same moment, one gets its limit and the other a refusal', async () => {
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
])(
  'a request that was sent stays in its currency when a later file of %s names another one',
  async (_case, portfolio) => {
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
    // A file that names no currency, or the same one by its sign, is the same request.
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
  },
);

// Promise: sent-in-another-currency
test.each([
  ['that names none', ''],
  ['with a sign of several', '$'],
])('a request that was sent stays in its currency after a file %s', async (_case, between) => {
  const place = await openWorkplace();
  await place.import(lineIn('USD'));
  await place.work();
  await place.settled();
  // The file in between comes twice, as a list of each week does.
  for (let time = 0; time < 2; time += 1) {
    expect(await place.import(lineIn(between))).toMatchObject({ requestedBefore: 1, problems: [] });
  }
  expect(await place.import(lineIn('CAD'))).toMatchObject({ rows: 0, problems: [{ value: 'CAD' }] });
  expect(await place.import(lineIn('USD'))).toMatchObject({ requestedBefore: 1, problems: [] });
});

// Promise: sent-in-another-currency
test('a request that was sent stays in its currency where only the last line of a file names another one', async () => {
  const place = await openWorkplace();
  await place.import(lineIn('USD'));
  await place.work();
  await place.settled();
  const empty = Array.from({ length: 300 }, (_none, n) => `None ${n},DE,HRB 9${n},,`);
  const later = [...lineIn(''), ...empty, 'Zinc AG,DE,HRB 2,EUR,500'];
  const imported = await place.import(later);
  expect(imported.problems).toContainEqual(expect.objectContaining({ line: 2, column: 'currency', value: 'EUR' }));
});

test('a word of the team’s own for a currency is the same in capitals', async () => {
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

test('a request that was not sent takes the currency of the later file', async () => {
  const place = await openWorkplace();
  const lines = (currency: string) => ['name,country_code,currency,requested_limit', `Acme AG,DE,${currency},1000`];
  await place.import(lines('EUR'));
  expect(await place.import(lineIn('USD'))).toMatchObject({ rows: 1, problems: [] });
});
