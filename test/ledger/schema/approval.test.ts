import { expect, test } from 'vitest';
import { leavesNobody, NO_APPROVAL, stricterOf } from '../../../src/ledger/schema/approval.ts';

test.each([
  [['anna@x.de'], ['anna@x.de (sso 4f6d2a)'], ['anna@x.de (sso 4f6d2a)']],
  [['Anna', 'ben'], ['anna', 'carl'], ['anna']],
  [['anna'], ['ben'], []],
])(
  'the stricter of two policies has only their common approvers, in either order: %j and %j',
  (names, others, common) => {
    const policyOf = (inboxApprovers: string[]) => ({ ...NO_APPROVAL, inboxApprovers });
    const [one, other] = [policyOf(names), policyOf(others)];
    for (const policy of [stricterOf(one, other), stricterOf(other, one)]) {
      expect(policy.inboxApprovers?.map((name) => name.toLowerCase())).toEqual(common);
      expect(leavesNobody(policy)).toBe(common.length === 0);
    }
  },
);
