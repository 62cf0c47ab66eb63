import { expect, test } from 'vitest';
import { isSamePerson } from '../src/actor.ts';

test.each([
  ['alice', 'alice', true],
  ['alice', 'bob', false],
  ['alice', 'Alice', true],
  ['alice', 'command line (alice)', true],
  ['command line (ALICE)', 'alice', true],
  ['command line (CORP\\alice)', 'alice', true],
  ['command line (alice)', 'command line (alice)', true],
  ['command line (alice)', 'command line (bob)', false],
  ['command line (bob)', 'alice', false],
  ['alice@example.com (sso 4f6d2a)', 'alice', true],
  ['alice@example.com (sso 4f6d2a)', 'command line (alice)', true],
  ['alice@example.com (sso 4f6d2a)', 'alice@example.com (sso 4f6d2a)', true],
  // The provider itself says that these are two.
  ['alice@example.com (sso 4f6d2a)', 'alice@other.example (sso 77aa01)', false],
  ['console', 'alice', false],
  ['command line (user 1000)', 'alice', false],
])('%s and %s: one person is %s', (one, other, same) => {
  expect(isSamePerson(one, other)).toBe(same);
  expect(isSamePerson(other, one)).toBe(same);
});
