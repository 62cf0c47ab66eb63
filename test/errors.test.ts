import { expect, test } from 'vitest';
import { maskUserInfo, messageOf } from '../src/errors.ts';

function jsonFault(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return error;
  }
}

test.each([
  ['a short text', 'Geheim'],
  ['a long text', `{"name":"Anna","email":"geheim@example.com",x${'y'.repeat(200)}`],
  ['a text that breaks at its end', `{"name":"Anna"} geheim`],
  ['a text without an end', '{"email":"geheim@example.com'],
])('an error message about JSON does not repeat its text: %s', (_name, text) => {
  const said = messageOf(jsonFault(text));
  expect(said).toMatch(/JSON/);
  expect(said).not.toMatch(/geheim|Anna/i);
});

test('an error message of Redis does not repeat the arguments of an unknown command', () => {
  const error = new Error("ERR unknown command 'evalsha', with args beginning with: '2' 'Geheim GmbH' 'x\ny'");
  expect(messageOf(error)).toBe("ERR unknown command 'evalsha'");
});

test.each([
  ['connect to http://anna:geheim@proxy:3128/ failed', 'connect to http://***@proxy:3128/ failed'],
  ['rediss://:geheim@a:1,rediss://anna:ge@heim@b:2', 'rediss://***@a:1,rediss://***@b:2'],
  ['"https://anna@x.example/p?by=anna@example.com"', '"https://***@x.example/p?by=anna@example.com"'],
  ['https://x.example/p?by=anna@example.com', 'https://x.example/p?by=anna@example.com'],
  ['anna@example.com', 'anna@example.com'],
])('%s is shown without user and password', (text, masked) => {
  expect(maskUserInfo(text)).toBe(masked);
  expect(messageOf(new Error(text))).toBe(masked);
});
