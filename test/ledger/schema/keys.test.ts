import { expect, test } from 'vitest';
import { makeKeys } from '../../../src/ledger/schema/keys.ts';

test("no account's name can reach into another's keys", () => {
  const keys = makeKeys('p', 'a:b}{c');
  expect(keys.account).toBe('{p:a%3Ab%7D%7Bc}:5:account');
  expect(keys.queuePrefix('companies')).toBe('{p:a%3Ab%7D%7Bc:companies}:5');
});
