import { describe, expect, test } from 'vitest';
import { readOptions } from './options.ts';

test.each([
  [[], { rows: 10_000, rounds: 3, sections: ['run', 'memory'], json: false }],
  [['--rows', '500', '--rounds', '1'], { rows: 500, rounds: 1, sections: ['run', 'memory'], json: false }],
  [['--only', 'memory', '--json'], { rows: 10_000, rounds: 3, sections: ['memory'], json: true }],
])('the arguments %j mean %j', (args, options) => {
  expect(readOptions(args)).toEqual(options);
});

describe('a fault in the arguments is reported with the usage of the bench', () => {
  test.each([
    [['--rows', '0'], '--rows 0 is not a whole number above zero'],
    [['--rounds', '2.5'], '--rounds 2.5 is not a whole number above zero'],
    [['--only', 'nothing'], '--only nothing is not a part of the bench'],
    [['--quick'], 'These arguments are not known: --quick'],
    [['500'], 'These arguments are not known: 500'],
  ])('for %j', (args, words) => {
    expect(() => readOptions(args)).toThrow(
      expect.objectContaining({ code: 'USAGE', message: expect.stringMatching(`^${words}.*; use: node test/bench`) }),
    );
  });
});
