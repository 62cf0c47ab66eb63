import { describe, expect, test } from 'vitest';
import { hashPassword, verifyPassword } from '../../../src/people/passwords/password-hash.ts';

const PASSWORD = 'a bench under seven trees';

/**
 * The digest of this password with the salt `saltsaltsaltsalt`, made with the reference implementation (argon2-cffi
 * 25.1.0, argon2id, m=47104, t=1, p=1).
 */
const OTHERS_DIGEST =
  '$argon2id$v=19$m=47104,t=1,p=1$c2FsdHNhbHRzYWx0c2FsdA$iHjEV33A1Jps3e9DZQ4SHuT+eGZhLjpMdPcxrZD0JlY';

describe('the digest of a password', () => {
  // Promise: nobody-signs-in-by-redis
  test('is a PHC string with OWASP’s cost, differs each time, and verifies the password', async () => {
    const [one, other] = [await hashPassword(PASSWORD), await hashPassword(PASSWORD)];
    expect(one).toMatch(/^\$argon2id\$v=19\$m=47104,t=1,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
    expect(other).not.toBe(one);
    expect(await verifyPassword(PASSWORD, one)).toBe(true);
    expect(await verifyPassword(`${PASSWORD} `, one)).toBe(false);
    expect(await verifyPassword('', one)).toBe(false);
  });

  test('is verified also if another program made it', async () => {
    expect(await verifyPassword(PASSWORD, OTHERS_DIGEST)).toBe(true);
    expect(await verifyPassword('another', OTHERS_DIGEST)).toBe(false);
  });

  test.each([
    ['nothing', undefined],
    ['an empty text', ''],
    [
      'another kind',
      '$argon2i$v=19$m=47104,t=1,p=1$c2FsdHNhbHRzYWx0c2FsdA$eT4SxBWnAnyXNnVs9nOq6X1t4bZbX2s2aT1nqQ8qF3M',
    ],
    [
      'a cost that fills the memory',
      '$argon2id$v=19$m=4194304,t=1,p=1$c2FsdHNhbHRzYWx0c2FsdA$eT4SxBWnAnyXNnVs9nOq6X1t4bZbX2s2aT1nqQ8qF3M',
    ],
    [
      'a cost that never ends',
      '$argon2id$v=19$m=47104,t=999,p=1$c2FsdHNhbHRzYWx0c2FsdA$eT4SxBWnAnyXNnVs9nOq6X1t4bZbX2s2aT1nqQ8qF3M',
    ],
    ['no cost', '$argon2id$v=19$m=0,t=0,p=0$c2FsdHNhbHRzYWx0c2FsdA$eT4SxBWnAnyXNnVs9nOq6X1t4bZbX2s2aT1nqQ8qF3M'],
  ])('that is %s never verifies', async (_what, phc) => {
    expect(await verifyPassword(PASSWORD, phc)).toBe(false);
  });

  // Promise: sign-in-mistakes-alike
  test('takes the same work to verify whether or not the user exists', async () => {
    const kept = await hashPassword(PASSWORD);
    const times: Record<'kept' | 'none', number[]> = { kept: [], none: [] };
    for (let round = 0; round < 5; round += 1) {
      for (const [which, phc] of [
        ['kept', kept],
        ['none', undefined],
      ] as const) {
        const before = process.cpuUsage();
        await verifyPassword('a wrong one', phc);
        const { user, system } = process.cpuUsage(before);
        times[which].push(user + system);
      }
    }
    // The minimum of several runs is the cost without the process’s other work. Wall-clock time would include other
    // processes.
    const [least, none] = [Math.min(...times.kept), Math.min(...times.none)];
    expect(none / least).toBeGreaterThan(0.5);
    expect(none / least).toBeLessThan(2);
  });
});
