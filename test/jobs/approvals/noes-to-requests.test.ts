import { expect, test } from 'vitest';
import { carryOutAllAnswered } from '../../../jobs/approvals/answer-approval.ts';
import { cancelRows } from '../../../jobs/operators/cancel-rows.ts';
import { openPortfolio, waitingIn } from '../../support/approved-portfolio.ts';

const LINES = ['name,country_code,company_registration_number,requested_limit', 'Buyer 1 GmbH,DE,HRB 1,1001.50'];

// Promise: no-elsewhere-is-seen
test.each([true, false])(
  'an approval of a request has to be looked at again after a decline of it elsewhere (carried out: %s)',
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

test('an approval has to be looked at again after a decline during its import', async () => {
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

type Place = Awaited<ReturnType<typeof openPortfolio>>;

// Promise: declined-needs-another-approval
test.each<[string, (place: Place) => Promise<unknown>]>([
  ['cancelled', ({ context }) => cancelRows({ portfolio: 'q4', by: 'alice' }, context)],
  ['left out by a file', ({ import: importLines }) => importLines(LINES.slice(0, 1), { replace: true })],
])(
  'a request that is %s before its decline is carried out needs another approval, whatever its sum',
  async (_how, act) => {
    const place = await openPortfolio(3, { APPROVE_ABOVE: '2500' });
    const { id, digest } = await place.waiting();
    expect(await place.say({ id, digest, answer: 'decline', words: 'no' })).toMatchObject({ is: 'done' });
    await act(place);
    await carryOutAllAnswered(place.context);
    await place.import(LINES, { portfolio: 'q5' });
    expect(await waitingIn('q5', place)).toMatchObject({ rows: 1, redone: 'by bob: no' });
  },
);
