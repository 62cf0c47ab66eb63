import { expect, test } from 'vitest';
import { cancelRows } from '../../../../jobs/operators/cancel-rows.ts';
import { financeItems } from '../../../support/ledger.ts';
import { openWorkplace } from '../../../support/workplace.ts';

const HEADER = 'name,country_code,company_registration_number,requested_limit';

/** A portfolio whose only good line is done, and whose other line is invalid. */
async function openDone() {
  const place = await openWorkplace();
  await place.import([HEADER, 'Alpha GmbH,DE,HRB 1,1000', 'Beta GmbH,DE,HRB 2,much']);
  await place.work();
  await place.settled();
  const named = async () =>
    (await financeItems(place.context)).filter(({ check }) => check === 'not requested').map(({ name }) => name);
  return { ...place, named };
}

// Promise: empty-cancel-hides-no-line
test('a cancel that gave up no row leaves the lines that led to no request in the report', async () => {
  const { context, named } = await openDone();
  expect(await named()).toEqual(['Beta GmbH']);
  expect(await cancelRows({ portfolio: 'q4', by: 'test' }, context)).toMatchObject({ cancelled: 0 });
  expect(await named()).toEqual(['Beta GmbH']);
});

// Promise: empty-cancel-hides-no-line
test('a cancel that gave up rows gives up the lines before it, and one of nothing afterwards gives up no later line', async () => {
  const place = await openDone();
  const { context, named } = place;
  await context.portfolios.pause('q4', 'by somebody');
  await place.import([HEADER, 'Gamma GmbH,DE,HRB 3,3000', 'Delta GmbH,DE,HRB 4,much']);
  expect((await named()).sort()).toEqual(['Beta GmbH', 'Delta GmbH', 'Gamma GmbH']);
  expect(await cancelRows({ portfolio: 'q4', by: 'test' }, context)).toMatchObject({ cancelled: 1 });
  expect(await named()).toEqual([]);
  await place.import([HEADER, 'Eta GmbH,DE,HRB 5,much']);
  expect(await cancelRows({ portfolio: 'q4', by: 'test' }, context)).toMatchObject({ cancelled: 0 });
  expect(await named()).toEqual(['Eta GmbH']);
});
