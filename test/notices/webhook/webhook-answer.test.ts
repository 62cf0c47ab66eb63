import { expect, test } from 'vitest';
import { meaningOfAnswer } from '../../../src/notices/webhook/webhook.ts';

const NOW_MS = Date.parse('2026-11-22T10:00:00Z');
const meaning = (status: number, headers: Record<string, string> = {}) =>
  meaningOfAnswer({ status, headers, host: 'hooks.example', nowMs: NOW_MS });

test.each([200, 201, 202, 204])('status %i means delivered', (status) => {
  expect(meaning(status)).toEqual({ is: 'delivered', words: '' });
});

// Whether a person must act, and whether other notices may succeed.
// Promises: hanging-receiver-cut-off, redirects-are-not-followed, refused-notice-keeps-no-other
test.each([
  [429, 'way', true],
  [408, 'way', true],
  [500, 'way', true],
  [503, 'way', true],
  [400, 'notice', false],
  [413, 'notice', false],
  [422, 'notice', false],
  [401, 'way', false],
  [403, 'way', false],
  [404, 'way', false],
  [405, 'way', false],
  [410, 'way', false],
  [302, 'way', false],
  [308, 'way', false],
])('status %i is a failure: fault of the %s, passing: %s', (status, fault, passes) => {
  expect(meaning(status)).toMatchObject({ is: 'failed', fault, passes, words: expect.stringContaining(`${status}`) });
});

// Promise: notices-wait-in-order
test.each([
  ['120', 120_000],
  [' 5 ', 5_000],
  ['Sun, 22 Nov 2026 10:02:00 GMT', 120_000],
  ['Sun, 22 Nov 2026 09:00:00 GMT', 0],
  ['soon', undefined],
  ['-5', undefined],
  ['99999999999', undefined],
])('Retry-After: %s is a wait of %s ms', (text, askedMs) => {
  const sent = meaning(429, { 'retry-after': text });
  expect('askedMs' in sent ? sent.askedMs : undefined).toBe(askedMs);
});

test.each([
  ['https://login.example/s3cr3t?sig=1', /which leads to login\.example: redirects are not followed/],
  ['/elsewhere', /answered 301: redirects are not followed/],
  ['https://user:pass@b.example', /leads to b\.example:/],
])('a redirect to %s is reported with its host only', (location, words) => {
  const sent = meaning(301, { location });
  expect(sent.words).toMatch(words);
  expect(sent.words).not.toMatch(/s3cr3t|pass|elsewhere/);
});
