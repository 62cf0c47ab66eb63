import { expect, test } from 'vitest';
import { makeUntold } from '../../src/pace/limit-headers.ts';

test('calls that could not be reported are counted again, and newer header values stay', () => {
  const untold = makeUntold();
  untold.add(2, {});
  const { accepted } = untold.take();
  // This answer arrives while the report to Redis fails.
  untold.add(1, { windowS: 5 });
  untold.putBack(accepted);
  expect(untold.take()).toEqual({ accepted: 3, words: { windowS: 5 } });
});

test('of two answers the smaller remaining allowance is reported', () => {
  const untold = makeUntold();
  untold.add(1, { remaining: 3 });
  untold.add(1, { remaining: 7 });
  expect(untold.take()).toEqual({ accepted: 2, words: { remaining: 3 } });
  expect(untold.take()).toEqual({ accepted: 0, words: {} });
});
