import { expect, test } from 'vitest';
import { later, openReview } from '../../support/under-review.ts';

const DAY = 24 * 60;

test('a decision from before the request that was answered is older than the answer, and is not taken', async () => {
  const { ids, decide, outcomes } = await openReview(2);
  await decide([`${ids[0]},,rejected,,,`]);
  const mistyped = later(-DAY - 5);
  const said = [`${ids[0]},,approved,1001.5,1001.5,${mistyped}`, `${ids[1]},,approved,1002.5,1002.5,${mistyped}`];
  const dry = await decide(said, '--dry-run');
  const { status, stdout } = await decide(said);
  expect([dry.status, status]).toEqual([2, 2]);
  const older = (id: string | undefined) =>
    `not taken: The decision about ${id} is of ${mistyped}, and what is known of it is later: an older one changes nothing.\n`;
  expect(stdout).toContain(`line 2, ${older(ids[0])}line 3, ${older(ids[1])}`);
  expect(stdout).toContain('0 decisions taken, 0 known already, 2 not taken.');
  expect(await outcomes()).toMatchObject({ declined: { rows: 1 }, under_review: { rows: 1 }, approved: { rows: 0 } });
});

test('a decision that seems to be from less than a day before the request is taken, with a warning', async () => {
  const { ids, decide } = await openReview(1);
  const { status, stdout } = await decide([`${ids[0]},,approved,1001.5,1001.5,${later(-60)}`]);
  expect(status).toBe(0);
  expect(stdout).toMatch(
    new RegExp(
      `line 2, warning: The limit ${ids[0]} was asked for at \\S+ \\d\\d:\\d\\d UTC, and decided at \\S+ \\d\\d:\\d\\d UTC, before that\\.`,
    ),
  );
});
