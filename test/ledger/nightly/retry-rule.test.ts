import { describe, expect, test } from 'vitest';
import type { Cause } from '../../../src/ledger/counts/cause.ts';
import { type RetryRule, readRule, ruleFor, ruleMatches, ruleWords } from '../../../src/ledger/nightly/retry-rule.ts';
import { ruleNightWords } from '../../../src/ledger/nightly/retry-rules.ts';

const CAUSE: Cause = {
  id: 'k3f9',
  step: 'limit',
  meaning: 'refused',
  status: 422,
  words: 'Closed until …',
  rows: 3,
  sum: '3000',
};

describe('the input for a retry rule', () => {
  test.each([
    [
      { cause: 'k3f9', nights: '1' },
      { cause: 'k3f9', nights: 1 },
    ],
    [
      { cause: '', step: 'limit', status: ' 422 ', words: ' closed ', portfolio: 'q4', nights: '30' },
      { step: 'limit', status: 422, words: 'closed', portfolio: 'q4', nights: 30 },
    ],
  ])('%j becomes a rule', (wish, rule) => expect(readRule(wish)).toEqual(rule));

  test.each([
    [{ nights: '3' }, /Say which refused rows are meant/],
    [{ portfolio: 'q4', words: ' ', nights: '3' }, /Say which refused rows are meant/],
    [{ cause: 'k3f9', status: '422', nights: '3' }, /not both/],
    [{ cause: 'K3 F9', nights: '3' }, /no such cause/],
    [{ step: 'company ', nights: '0' }, /1 to 30/],
    [{ step: 'company', nights: '31' }, /1 to 30/],
    [{ step: 'company', nights: '1.5' }, /1 to 30/],
    [{ step: 'company' }, /1 to 30/],
    [{ step: 'supplier', nights: '3' }, /no step "supplier"/],
    [{ status: '99', nights: '3' }, /three digits/],
    [{ status: '200', nights: '3' }, /three digits/],
    [{ words: 'w'.repeat(201), nights: '3' }, /200 characters/],
  ])('%j is refused', (wish, words) => expect(() => readRule(wish)).toThrow(words));
});

test.each([
  [{ cause: 'k3f9' }, true],
  [{ cause: 'other' }, false],
  [{ status: 422 }, true],
  [{ status: 400 }, false],
  [{ step: 'limit', status: 422, words: 'CLOSED until' }, true],
  [{ step: 'company', status: 422 }, false],
  [{ words: 'open' }, false],
  [{ status: 422, portfolio: 'q4' }, true],
  [{ status: 422, portfolio: 'q5' }, false],
] as const)('a rule with %j matches a cause of q4: %s', (match, is) => {
  expect(ruleMatches(match, 'q4', CAUSE)).toBe(is);
  // Rows whose call is in doubt are held, and no rule sends them.
  expect(ruleMatches(match, 'q4', { ...CAUSE, meaning: 'unknown' })).toBe(false);
});

test('of several rules for a cause the one with most nights applies, and then the oldest', () => {
  const rule = (id: string, nights: number, madeMs: number, status = 422): RetryRule => ({
    id,
    nights,
    madeMs,
    status,
    by: 'olivia',
  });
  const rules = [rule('a', 2, 1), rule('b', 3, 3), rule('c', 3, 2), rule('d', 9, 0, 500)];
  expect(ruleFor(rules, 'q4', CAUSE)?.id).toBe('c');
  expect(ruleFor(rules.slice(0, 1), 'q4', CAUSE)?.id).toBe('a');
  expect(ruleFor(rules.slice(3), 'q4', CAUSE)).toBeUndefined();
});

test.each([
  [{ cause: 'k3f9', known: 'closed (status 422)' }, 'rejected for cause k3f9, closed (status 422) in all portfolios'],
  [
    { step: 'limit', status: 422, words: 'closed', portfolio: 'q4' },
    'rejected with status 422 at the step limit in words with “closed” in portfolio q4',
  ],
] as const)('%j is described in words', (rule, words) => expect(ruleWords(rule)).toBe(words));

test.each([
  [{ sent: 0, waiting: 0, usedUp: 0 }, 'no row to send'],
  [
    { sent: 1200, waiting: 3, usedUp: 1 },
    '1,200 rows sent again, 3 put to wait for approval, 1 row with all nights used up',
  ],
  [{ sent: 0, waiting: 3, usedUp: 0 }, '3 rows put to wait for approval'],
])('a night with %j is described in words', (night, words) => expect(ruleNightWords(night)).toBe(words));
