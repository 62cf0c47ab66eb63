import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { financeItems } from '../../../support/ledger.ts';
import { openWorkplace } from '../../../support/workplace.ts';

const HEADER = 'name,country_code,city,request_reference,requested_limit';

/** A portfolio with the request of Acme GmbH sent, and what the nightly check names as not requested. */
async function openSent(first: string, portfolio = 'q4') {
  const place = await openWorkplace();
  const named = async () =>
    (await financeItems(place.context))
      .filter(({ check }) => check === 'not requested')
      .map(({ name, requested, says, detail }) => [name, requested, says, detail]);
  const bring = (line: string, of = 'q4') => place.import([HEADER, line], { portfolio: of });
  await place.work();
  await bring(first, portfolio);
  await place.settled(portfolio);
  return { ...place, named, bring };
}

const INVALID = 'the line was invalid when it was imported';

// Promise: changed-line-named
test.each([
  ['amount', 'Acme GmbH,DE,Ulm,R1,1000', 'Acme GmbH,DE,Ulm,R1,2000', '2000', 'sent: 1,000'],
  ['city', 'Acme GmbH,DE,Ulm,R1,1000', 'Acme GmbH,DE,Bonn,R1,1000', '1000', 'city differs'],
  ['city without a reference', 'Acme GmbH,DE,Ulm,,1000', 'Acme GmbH,DE,Bonn,,1000', '1000', 'city differs'],
])(
  'a line refused for its %s, since its request was sent already, is named until it comes as it was sent',
  async (_of, sent, changed, amount, differs) => {
    const { named, bring } = await openSent(sent);
    expect(await bring(changed)).toMatchObject({ invalid: 1 });
    const words = expect.stringContaining(`changed after it was requested (${differs})`);
    expect(await named()).toEqual([['Acme GmbH', amount, INVALID, words]]);
    // A later file without the buyer answers nothing.
    await bring('Beta GmbH,DE,Ulm,R3,3000');
    expect(await named()).toEqual([['Acme GmbH', amount, 'it led to no request', words]]);
    await bring(sent);
    expect(await named()).toEqual([]);
  },
);

// Promise: changed-line-named
test('a changed line is named until a second limit is requested for its buyer, and with the last file that has it', async () => {
  const { named, bring, dir, importFile } = await openSent('Acme GmbH,DE,Ulm,R1,1000');
  await bring('Acme GmbH,DE,Ulm,R1,2000');
  await writeFile(join(dir, 'other.csv'), `${HEADER}\nAcme GmbH,DE,Ulm,R1,2500\n`);
  await importFile(join(dir, 'other.csv'));
  expect(await named()).toEqual([['Acme GmbH', '2500', INVALID, expect.stringMatching(/^other\.csv: .*sent: 1,000/)]]);
  await bring('Acme GmbH,DE,Ulm,R2,2000');
  expect(await named()).toEqual([]);
});

// Promise: changed-line-named
test('a line that differs from what another portfolio sent is named; one that does not is requested', async () => {
  const { named, bring } = await openSent('Acme GmbH,DE,Ulm,R1,1000', 'q3');
  expect(await bring('Acme GmbH,DE,Ulm,R1,2000')).toMatchObject({ invalid: 1 });
  expect(await named()).toEqual([['Acme GmbH', '2000', INVALID, expect.stringContaining('in portfolio q3')]]);
  await bring('Acme GmbH,DE,Ulm,R1,1000');
  expect(await named()).toEqual([]);
});

test('a line of before a correction that was sent asks for nothing new', async () => {
  const { named, bring, context } = await openSent('Beta GmbH,DE,Ulm,R3,3000');
  await context.portfolios.pause('q4', 'by somebody');
  await bring('Acme GmbH,DE,Ulm,,1000');
  await bring('Acme GmbH,DE,Ulm,,2000');
  await context.portfolios.resume('q4');
  await expect.poll(async () => (await context.portfolios.read('q4')).states.done).toBe(2);
  expect(await bring('Acme GmbH,DE,Ulm,,1000')).toMatchObject({ invalid: 1 });
  expect(await named()).toEqual([]);
});
