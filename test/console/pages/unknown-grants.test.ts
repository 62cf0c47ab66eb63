import { expect, test } from 'vitest';
import { openConsole, plainText, unmarked } from '../../support/desk.ts';
import { openReview, UNDER_REVIEW } from '../../support/under-review.ts';

// Promise: unknown-grant-is-a-dash
test('a page shows a dash as the granted sum when the service has not decided or its status has no meaning', async () => {
  const unknown = { ...UNDER_REVIEW, match: 'HRB 2"', status: 'to_be_seen' };
  const desk = await openReview(2, [unknown, UNDER_REVIEW]);
  const { get } = await openConsole(desk);
  const page = async (path: string) => plainText(unmarked((await get(path)).text));
  expect(await page('/portfolios/q4')).toMatch(
    /Requested 2 2,004\.00 – .*Under review 1 1,001\.50 – .*Answered, outcome not known 1 1,002\.50 – /,
  );
  expect(await page('/')).toMatch(/ 2 2,004\.00 – finished/);
  // So do page and report of a later file with the same requests.
  expect((await desk.limitline('run', 'q4.csv', '--portfolio', 'q5')).stdout).toMatch(
    /requested before +2 +2,004\.00 +–/,
  );
  expect(await page('/portfolios/q5')).toMatch(/Requested before 2 2,004\.00 – /);
  await desk.decide([`${desk.ids[0]},,rejected,0,0,`]);
  expect(await page('/portfolios/q4')).toMatch(
    /Requested 2 2,004\.00 0\.00 .*Declined 1 1,001\.50 0\.00 .*Answered, outcome not known 1 1,002\.50 – /,
  );
  expect(await page('/portfolios/q5')).toMatch(/Requested before 2 2,004\.00 0\.00 /);
});
