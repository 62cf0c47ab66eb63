import { expect, test } from 'vitest';
import type { TokenSettings } from '../../src/stand-in/fault-settings.ts';
import { makeTokens } from '../../src/stand-in/tokens.ts';

const usual: TokenSettings = { field: 'access_token', lifetimeS: 60 };

/** Tokens under a clock that the test moves. */
function tokensAt(startMs: number) {
  let nowMs = startMs;
  const tokens = makeTokens({ nowMs: () => nowMs });
  return {
    admit: tokens.admit,
    issue: (settings: TokenSettings) => `Bearer ${tokens.issue(settings)[settings.field]}`,
    passS: (seconds: number) => {
      nowMs += seconds * 1_000;
    },
  };
}

test.each([
  ['as RFC 6749 names it', usual, ['access_token', 'expires_in', 'token_type']],
  ['without a lifetime', { ...usual, lifetimeS: null }, ['access_token', 'token_type']],
  ['under another name', { ...usual, field: 'jwt' }, ['expires_in', 'jwt', 'token_type']],
])('a token is answered %s', (_name, settings, fields) => {
  expect(Object.keys(makeTokens().issue(settings)).sort()).toEqual(fields);
});

test.each([
  ['at the end of the lifetime answered', usual, 59.9, 60],
  ['earlier than answered', { ...usual, diesAfterS: 2 }, 1.9, 2],
  ['later than answered', { ...usual, diesAfterS: 90 }, 60, 90],
])('a token dies %s', (_name, settings, lastS, deadS) => {
  const { admit, issue, passS } = tokensAt(1_000);
  const bearer = issue(settings);
  passS(lastS);
  expect(admit(bearer)).toBe(true);
  passS(deadS - lastS + 0.001);
  expect(admit(bearer)).toBe(false);
});

test('a token may die after so many calls', () => {
  const { admit, issue } = tokensAt(0);
  const bearer = issue({ ...usual, diesAfterCalls: 2 });
  expect([admit(bearer), admit(bearer), admit(bearer)]).toEqual([true, true, false]);
});

test.each([undefined, '', 'Bearer', 'Bearer ', 'Bearer made-up', 'Basic abc'])('%j is no token', (header) => {
  expect(tokensAt(0).admit(header)).toBe(false);
});

test('a token is forgotten when ten thousand newer ones have come', () => {
  const { admit, issue } = tokensAt(0);
  const first = issue(usual);
  const second = issue(usual);
  for (let issued = 0; issued < 9_999; issued += 1) issue(usual);
  expect(admit(first)).toBe(false);
  expect(admit(second)).toBe(true);
});
