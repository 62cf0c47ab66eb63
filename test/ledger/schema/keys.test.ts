import { expect, test } from 'vitest';
import { makeKeys } from '../../../src/ledger/schema/keys.ts';

test("an account's name is escaped, so that its keys cannot be another account's", () => {
  const keys = makeKeys('p', 'a:b}{c');
  expect(keys.account).toBe('{p:a%3Ab%7D%7Bc}:5:account');
  expect(keys.queuePrefix('companies')).toBe('{p:a%3Ab%7D%7Bc:companies}:5');
});
