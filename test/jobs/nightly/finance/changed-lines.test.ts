import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { financeItems } from '../../../support/ledger.ts';
import { openWorkplace } from '../../../support/workplace.ts';

const HEADER = 'name,country_code,city,request_reference,requested_limit';

/** Imports one-line files, and returns what the nightly check lists as not requested. */
function linesNamed({ context, import: bringIn }: Awaited<ReturnType<typeof openWorkplace>>, header: string) {
  const named = async () =>
    (await financeItems(context))
      .filter(({ check }) => check === 'not requested')
      .map(({ name, requested, says, detail }) => [name, requested, says, detail]);
  return { named, bring: (line: string, portfolio = 'q4') => bringIn([header, line], { portfolio }) };
}

/** A portfolio whose first request was sent, and what the nightly check lists as not requested. */
async function openSent(first: string, portfolio = 'q4') {
  const place = await openWorkplace();
  const { named, bring } = linesNamed(place, HEADER);
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
  'a line refused for its changed %s after sending is listed until the original line is imported',
  async (_of, sent, changed, amount, differs) => {
    const { named, bring } = await openSent(sent);
    expect(await bring(changed)).toMatchObject({ invalid: 1 });
    const words = expect.stringContaining(`changed after it was requested (${differs})`);
    expect(await named()).toEqual([['Acme GmbH', amount, INVALID, words]]);
    // A later file without the buyer does not settle the line.
    await bring('Beta GmbH,DE,Ulm,R3,3000');
    expect(await named()).toEqual([['Acme GmbH', amount, 'it led to no request', words]]);
    await bring(sent);
    expect(await named()).toEqual([]);
  },
);

// Promise: changed-line-named
test('a changed line is listed with the last file that has it, until its buyer gets a second limit', async () => {
  const { named, bring, dir, importFile } = await openSent('Acme GmbH,DE,Ulm,R1,1000');
  await bring('Acme GmbH,DE,Ulm,R1,2000');
  await writeFile(join(dir, 'other.csv'), `${HEADER}\nAcme GmbH,DE,Ulm,R1,2500\n`);
  await importFile(join(dir, 'other.csv'));
  expect(await named()).toEqual([['Acme GmbH', '2500', INVALID, expect.stringMatching(/^other\.csv: .*sent: 1,000/)]]);
  await bring('Acme GmbH,DE,Ulm,R2,2000');
  expect(await named()).toEqual([]);
});

// Promise: changed-line-named
test('a line that differs from a request of another portfolio is listed until the original line is imported', async () => {
  const { named, bring } = await openSent('Acme GmbH,DE,Ulm,R1,1000', 'q3');
  expect(await bring('Acme GmbH,DE,Ulm,R1,2000')).toMatchObject({ invalid: 1 });
  expect(await named()).toEqual([['Acme GmbH', '2000', INVALID, expect.stringContaining('in portfolio q3')]]);
  await bring('Acme GmbH,DE,Ulm,R1,1000');
  expect(await named()).toEqual([]);
});

const BY_BUYER = 'name,country_code,buyer_reference,request_reference,requested_limit';

// Promises: changed-line-named, other-company-answers-nothing
test("a line with another company's name is listed until any portfolio imports the original line", async () => {
  const place = await openWorkplace();
  const { named, bring } = linesNamed(place, BY_BUYER);
  await place.work();
  await bring('Jäger Papier GmbH,DE,B1,R1,1000');
  await place.settled();
  await bring('Jäger Papier SE,DE,B1,R1,1000');
  const changed = ['Jäger Papier SE', '1000', INVALID, expect.stringContaining('sent for "Jäger Papier GmbH", DE')];
  expect(await named()).toEqual([changed]);
  // In another portfolio the line is skipped with a warning. This portfolio's line is still listed.
  await bring('Jäger Papier SE,DE,B1,R1,1000', 'copy');
  expect(await named()).toEqual([changed]);
  await bring('Jäger Papier GmbH,DE,B1,R1,1000', 'third');
  expect(await named()).toEqual([]);
});

// Promise: other-company-answers-nothing
test('a row whose limit was requested for another company does not settle a changed line', async () => {
  const place = await openWorkplace();
  const { named, bring } = linesNamed(place, BY_BUYER);
  await bring('Jäger Papier GmbH,DE,B1,R1,1000');
  await bring('Jäger Papier SE,DE,B1,R1,1000', 'twin');
  await place.work();
  const { states } = await place.settled();
  await place.settled('twin');
  const [sent, other] = states.done === 1 ? ['q4', 'SE'] : ['twin', 'GmbH'];
  await bring(`Jäger Papier ${other},DE,B1,R1,1000`, sent);
  expect(await named()).toEqual([[`Jäger Papier ${other}`, '1000', INVALID, expect.stringContaining('sent for')]]);
});

test('a line with the amount before a sent correction is not listed', async () => {
  const { named, bring, context } = await openSent('Beta GmbH,DE,Ulm,R3,3000');
  await context.portfolios.pause('q4', 'by somebody');
  await bring('Acme GmbH,DE,Ulm,,1000');
  await bring('Acme GmbH,DE,Ulm,,2000');
  await context.portfolios.resume('q4');
  await expect.poll(async () => (await context.portfolios.read('q4')).states.done).toBe(2);
  expect(await bring('Acme GmbH,DE,Ulm,,1000')).toMatchObject({ invalid: 1 });
  expect(await named()).toEqual([]);
});
