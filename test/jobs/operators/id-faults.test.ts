import { expect, test } from 'vitest';
import { knownIds, unlikeKnown } from '../../../jobs/operators/id-faults.ts';
import { buyerLines, openWorkplace } from '../../support/workplace.ts';

// Promise: unlike-id-asked-about
test.each([
  ['has a digit less', 'bl_0a1b2c', ['bl_0a1b2c3', 'bl_4d5e6f7', 'bl_8a9b0c1'], true],
  ['has a digit more', 'bl_0a1b2c3d', ['bl_0a1b2c3', 'bl_4d5e6f7', 'bl_8a9b0c1'], true],
  ['is as long as all others', 'bl_9f8e7d6', ['bl_0a1b2c3', 'bl_4d5e6f7', 'bl_8a9b0c1'], false],
  ['is as long as some are', 'bl_100', ['bl_98', 'bl_99', 'bl_101', 'bl_1002'], false],
  ['is a little longer than others of several lengths', 'bl_1003', ['bl_98', 'bl_99', 'bl_101'], false],
  ['is far longer than others of several lengths', 'bl_100345', ['bl_98', 'bl_99', 'bl_101'], true],
  ['is the next of ids that are counted up', 'bl_1000', ['bl_997', 'bl_998', 'bl_999'], false],
  ['has a digit less than ids that are counted up', 'bl_97', ['bl_997', 'bl_998', 'bl_999'], true],
  ['has a digit more than long numbers', 'bl_34567890123', ['bl_3456789012', 'bl_9012345678', 'bl_5678901234'], true],
  ['has another sign', 'bl_0a1b2cX', ['bl_0a1b2c3', 'bl_4d5e6f7', 'bl_8a9b0c1'], true],
  ['can be compared with two others only', 'bl_100', ['bl_98', 'bl_99'], false],
  ['can be compared with none', 'bl_1', [], false],
])('an id that %s is or is not reported as unlike the others', (_name, made, known, isUnlike) => {
  expect(unlikeKnown(made, known) !== undefined).toBe(isUnlike);
});

test('the message gives the lengths of the ids', () => {
  expect(unlikeKnown('bl_1', ['bl_98', 'bl_99', 'bl_97'])).toBe(
    'It looks unlike the other ids, such as bl_98: it has 4 characters, and they have 5.',
  );
  expect(unlikeKnown('bl_100345', ['bl_98', 'bl_101'])).toMatch(/it has 9 characters, and they have 5 to 6\.$/);
});

// Promise: unlike-id-asked-about
test('ids are compared with those of all portfolios of the account', async () => {
  const { context, import: bring, work, settled } = await openWorkplace();
  await work();
  await bring(buyerLines(3), { portfolio: 'q3' });
  await settled('q3');
  const { limit, company, document } = await knownIds('q4', context);
  expect({ limit: limit.length, company: company.length, document }).toEqual({ limit: 3, company: 3, document: [] });
});
