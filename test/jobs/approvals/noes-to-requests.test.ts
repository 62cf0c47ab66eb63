import { expect, test } from 'vitest';
import { carryOutAllAnswered } from '../../../jobs/approvals/carry-out-answers.ts';
import { openPortfolio } from '../../support/approved-portfolio.ts';
import { waitingIn } from '../../support/waiting-in.ts';

const LINES = ['name,country_code,company_registration_number,requested_limit', 'Buyer 1 GmbH,DE,HRB 1,1001.50'];

// Promise: no-elsewhere-is-seen
test.each([true, false])(
  'whoever is asked for the same request in another portfolio has to see a no to it (carried out: %s)',
  async (isCarriedOut) => {
    const place = await openPortfolio(1, { APPROVE_ALWAYS: 'on' });
    await place.import(LINES, { portfolio: 'q5' });
    const [first, second] = [await waitingIn('q4', place), await waitingIn('q5', place)];
    await place.say({ id: first.id, digest: first.digest, answer: 'decline', words: 'no' });
    if (isCarriedOut) await carryOutAllAnswered(place.context);
    expect(await place.say({ id: second.id, digest: second.digest })).toMatchObject({ is: 'changed' });
    const { digest, redone } = await waitingIn('q5', place);
    expect(redone).toBe('by bob: no');
    expect(await place.say({ id: second.id, digest })).toMatchObject({ is: 'done' });
  },
);

test('… also a no that came while the lines were brought in', async () => {
  const place = await openPortfolio(1, { APPROVE_ALWAYS: 'on' });
  const { approvals } = place.context;
  const first = await place.waiting();
  const { close } = approvals;
  approvals.close = async (...args) => {
    approvals.close = close;
    await place.say({ id: first.id, digest: first.digest, answer: 'decline', words: 'no' });
    await carryOutAllAnswered(place.context);
    return close(...args);
  };
  await place.import(LINES, { portfolio: 'q5' });
  const { id, digest } = await waitingIn('q5', place);
  expect(await place.say({ id, digest })).toMatchObject({ is: 'changed' });
  expect(await waitingIn('q5', place)).toMatchObject({ redone: 'by bob: no' });
});
