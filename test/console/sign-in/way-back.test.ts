import fc from 'fast-check';
import { expect, test } from 'vitest';
import { signInAddress, wayBack } from '../../../src/console/sign-in/session-cookie.ts';

test.each([
  ['/', '/'],
  ['/portfolios/q4?states=held&after=%2F', '/portfolios/q4?states=held&after=%2F'],
  ['/held#row', '/held'],
  ['/a/../held', '/held'],
  ['/sign-injection', '/sign-injection'],
])('after the sign-in %s leads to %s', (asked, path) => {
  expect(wayBack(asked)).toBe(path);
});

test.each([
  ['another site', 'https://evil.example/'],
  ['another site without a scheme', '//evil.example'],
  ['another site behind a backslash', '/\\evil.example'],
  ['two backslashes', '\\\\evil.example'],
  ['another site after dots are removed', '/.//evil.example'],
  ['another site behind two dots', '/a/..//evil.example'],
  ['another site behind encoded dots', '/%2e//evil.example'],
  ['another site behind a tab', '/\t/evil.example'],
  ['another site behind a line break', '/\n/evil.example'],
  ['three slashes', '///evil.example'],
  ['a script', 'javascript:alert(1)'],
  ['a script behind a space', ' javascript:alert(1)'],
  ['data', 'data:text/html,hi'],
  ['a relative address', 'held'],
  ['a user in front of another site', '//limitline.invalid@evil.example'],
  ['a header in the next line', '/\r\nset-cookie: a=b'],
  ['the sign-in itself', '/sign-in?to=/sign-in'],
  ['a step of the sign-in', '/Sign-In/code'],
  ['the sign-out', '/sign-out'],
  ['events', '/events'],
  ['an address that is too long', `/${'a'.repeat(3_000)}`],
  ['nothing', undefined],
  ['two addresses', ['/held', '//evil.example']],
])('after the sign-in nobody is redirected to %s', (_what, asked) => {
  expect(wayBack(asked)).toBe('/');
});

const PIECES = [
  '/',
  '\\',
  '.',
  '..',
  '%2f',
  '%5c',
  '%2e',
  '%09',
  '\t',
  '\n',
  '@',
  ':',
  '?',
  '#',
  'evil.example',
  'a',
  '//',
];

// Promise: nothing-without-a-session
test('every address after the sign-in is on this origin, as a browser resolves it', () => {
  const asked = fc.array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ maxLength: 3 })), { maxLength: 12 });
  fc.assert(
    fc.property(asked, (pieces) => {
      const path = wayBack(pieces.join(''));
      const origin = 'http://127.0.0.1:3000';
      expect(new URL(path, origin).origin).toBe(origin);
      expect(wayBack(path)).toBe(path);
      expect(path).not.toMatch(/[\r\n]/);
    }),
    { numRuns: 2_000 },
  );
});

test('the address of the sign-in contains the return address as one value', () => {
  expect(signInAddress('/portfolios/a b?x=1&to=//evil.example')).toBe(
    '/sign-in?to=%2Fportfolios%2Fa%2520b%3Fx%3D1%26to%3D%2F%2Fevil.example',
  );
  expect(signInAddress('//evil.example')).toBe('/sign-in');
});
