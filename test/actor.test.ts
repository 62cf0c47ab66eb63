import { userInfo } from 'node:os';
import { afterEach, expect, test, vi } from 'vitest';
import { actorsOf, commandLineActor, isSamePerson } from '../src/actor.ts';

// Promises: names-are-one-person, other-subject-is-same-person
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
  // Another issuer or client, or an account that was made again, gives the person other digits.
  ['alice@example.com (sso 4f6d2a)', 'Alice@example.com (sso 77aa01)', true],
  // Another issuer may name people without a domain, or with one.
  ['alice (sso 4f6d2a)', 'alice@example.com (sso 77aa01)', true],
  ['alice (sso 4f6d2a)', 'bob@example.com (sso 77aa01)', false],
  // The provider itself tells these two apart.
  ['alice@example.com (sso 4f6d2a)', 'alice@other.example (sso 77aa01)', false],
  ['console', 'alice', false],
  ['command line (uid 1000)', 'alice', false],
  ['drop folder (alice)', 'alice', true],
  ['drop folder (alice)', 'command line (alice)', true],
  ['drop folder (alice)', 'alice@example.com (sso 4f6d2a)', true],
  ['drop folder (bob)', 'alice', false],
])('%s and %s are the same person: %s', (one, other, same) => {
  expect(isSamePerson(one, other)).toBe(same);
  expect(isSamePerson(other, one)).toBe(same);
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

// Promise: sudo-caller-is-author
test('under sudo the calling user is the actor, beside any user but root, since others could set SUDO_USER themselves', () => {
  vi.stubEnv('SUDO_USER', 'ben');
  const runs = vi.spyOn(process, 'getuid').mockReturnValue(0);
  expect(commandLineActor()).toBe('command line (ben)');
  runs.mockReturnValue(1_000);
  expect(commandLineActor()).toBe(`command line (${userInfo().username}, by sudo of ben)`);
  expect(actorsOf(commandLineActor())).toEqual([`command line (${userInfo().username})`, 'command line (ben)']);
  vi.stubEnv('SUDO_USER', "CORP+Dora O'Hara");
  expect(actorsOf(commandLineActor())).toContain("command line (CORP+Dora O'Hara)");
  for (const made of ['', userInfo().username, 'x) (sso 4f', 'x\ny']) {
    vi.stubEnv('SUDO_USER', made);
    expect(commandLineActor()).toBe(`command line (${userInfo().username})`);
  }
});
