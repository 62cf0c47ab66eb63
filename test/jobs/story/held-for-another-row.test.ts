import { expect, test } from 'vitest';
import { heldLetter, makeHeldDesk } from '../../../jobs/story/held-desk.ts';
import { openConsole, plainText } from '../../support/desk.ts';
import { openWorkplace } from '../../support/workplace.ts';

const HEADER = 'name,country_code,company_registration_number,requested_limit,request_reference';

// Promise: held-says-what-was-sent
test('a held row says what was really sent, if the call was sent for another row with other values', async () => {
  const place = await openWorkplace({ faults: { rules: [{ on: 'limit', fault: 'reset', made: true }] } });
  const { context } = place;
  const amounts = { q4: 1_105.5, q5: 1_005.5 };
  for (const [portfolio, amount] of Object.entries(amounts)) {
    await place.import([HEADER, `Buyer 1 GmbH,DE,HRB 1,${amount},R1`], { portfolio });
  }
  await place.work();
  for (const portfolio of ['q4', 'q5']) expect((await place.settled(portfolio)).states).toMatchObject({ held: 1 });
  const made = place.standIn.things('limit').map(({ body }) => (body as { requested_limit: number }).requested_limit);
  expect(made).toHaveLength(1);
  const other = made[0] === amounts.q4 ? 'q5' : 'q4';
  const sender = other === 'q4' ? 'q5' : 'q4';

  const [found] = await context.rows.inState(other, 'held', { count: 1 });
  const [result] = found ? await context.rows.read([found.row]) : [];
  const name = `${sender}/${found?.row.key}`;
  expect(result?.problem?.message).toContain(`; it was sent for row ${name}, which asks for something else`);
  const desk = makeHeldDesk(context);
  const page = await desk.page(other, {});
  for (const sent of [result?.problem?.sent, page?.items[0]?.sent]) {
    expect(JSON.parse(sent ?? '')).toMatchObject({ requested_limit: made[0] });
  }
  const letter = heldLetter(page?.items ?? [], 0, { account: 'us' });
  expect(letter).toContain(`"requested_limit":${made[0]}`);
  expect(letter).toContain(`Our reference: ${name}`);
  expect(letter).not.toMatch(made[0] === amounts.q4 ? /1,?005\.5/ : /1,?105\.5/);
  const { get } = await openConsole({ cwd: place.dir, env: place.env });
  const shown = plainText((await get(`/portfolios/${other}/held`)).text);
  expect(shown).toContain(`It was sent with other values, for row ${name}`);
  // The row for which it was sent has its own values, and both have one cause.
  expect((await desk.page(sender, {}))?.items[0]).toMatchObject({ sentFor: undefined });
  const [first] = await context.rows.read([{ portfolio: sender, key: found?.row.key ?? '' }]);
  expect(first?.cause).toBe(result?.cause);
});
