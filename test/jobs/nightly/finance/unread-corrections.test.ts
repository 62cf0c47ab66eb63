import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { financeItems } from '../../../support/ledger.ts';
import { openWorkplace } from '../../../support/workplace.ts';

const HEADER = 'name,country_code,request_reference,requested_limit,contact_email';

/** A portfolio, and the lines that the nightly check lists as not requested. */
async function openPlace() {
  const place = await openWorkplace();
  const named = async () =>
    (await financeItems(place.context))
      .filter(({ check }) => check === 'not requested')
      .map(({ name, says, detail }) => [name, says, detail?.split(':')[0]]);
  const bring = (line: string, portfolio = 'q4') => place.import([HEADER, line], { portfolio });
  return { ...place, named, bring };
}

const UNREAD = ['Acme GmbH', 'the line is invalid: requested_limit', 'q4.csv'];

// Promise: unread-correction-named
test.each([
  ['is requested as before', 'Acme GmbH,DE,R1,1000,', true],
  ['is changed, while it can be', 'Acme GmbH,DE,R1,2000,', true],
  ['asks for another limit', 'Acme GmbH,DE,R2,2000,', true],
  ['cannot be read either', 'Acme GmbH,DE,R1,2O00,', false],
  ['is missing', 'Beta GmbH,DE,R3,3000,', false],
])(
  "an unreadable correction is listed until a later file in which the buyer's line %s",
  async (_name, line, isMended) => {
    const { named, bring } = await openPlace();
    await bring('Acme GmbH,DE,R1,1000,');
    await bring('Acme GmbH,DE,R1,1O00,');
    expect(await named()).toEqual([UNREAD]);
    await bring(line);
    const later = (await named()).filter(([name]) => name === 'Acme GmbH');
    expect(later.length > 0).toBe(!isMended);
  },
);

// Promise: unread-correction-named
test('a sent request does not settle an unreadable line, and a later line with another amount replaces it', async () => {
  const { named, bring, work, settled, dir, importFile } = await openPlace();
  const bringOther = async (line: string) => {
    await writeFile(join(dir, 'other.csv'), `${HEADER}\n\n${line}\n`);
    return importFile(join(dir, 'other.csv'));
  };
  await work();
  await bring('Acme GmbH,DE,R1,1000,');
  await settled();
  await bring('Acme GmbH,DE,R1,1O00,');
  expect(await named()).toEqual([UNREAD]);
  // The line is refused because its request was sent with another amount.
  expect(await bringOther('Acme GmbH,DE,R1,2000,')).toMatchObject({ invalid: 1 });
  expect(await named()).toEqual([['Acme GmbH', 'the line was invalid when it was imported', 'other.csv']]);
  await bring('Acme GmbH,DE,R1,2O00,');
  expect(await named()).toEqual([['Acme GmbH', 'it led to no request', 'other.csv'], UNREAD]);
  await bringOther('Acme GmbH,DE,R1,1000,');
  expect(await named()).toEqual([]);
});

// Promise: unread-correction-named
test('a request in another portfolio settles an unreadable line only if it was imported later', async () => {
  const { named, bring } = await openPlace();
  await bring('Acme GmbH,DE,R1,1000,', 'q3');
  await bring('Acme GmbH,DE,R1,1O00,');
  expect(await named()).toEqual([UNREAD]);
  await bring('Acme GmbH,DE,R1,1000,', 'q5');
  expect(await named()).toEqual([]);
});

test('an invalid line that repeats a line of its own file is not listed', async () => {
  const { named, import: bringAll } = await openPlace();
  await bringAll([HEADER, 'Acme GmbH,DE,R1,1000,', 'Acme GmbH,DE,R1,1000,anna']);
  expect(await named()).toEqual([]);
  await bringAll([HEADER, 'Beta GmbH,DE,R2,1000,', 'Beta GmbH,DE,R2,2000,anna']);
  expect(await named()).toEqual([['Beta GmbH', 'the line is invalid: contact_email', 'q4.csv']]);
});

test.each([
  ['without a reference', ['name,country_code,requested_limit,contact_email', 'Acme GmbH,DE,1000,']],
  ['with a reference', [HEADER, 'Acme GmbH,DE,R1,1000,']],
])('a repeated line with a fault in another cell is not listed: %s', async (_name, lines) => {
  const { named, import: bring } = await openPlace();
  await bring(lines);
  await bring(lines.map((line) => (line.startsWith('Acme') ? `${line}anna` : line)));
  expect(await named()).toEqual([]);
});
