import { TOTP } from 'otpauth';
import { describe, expect, test } from 'vitest';
import {
  factorSecret,
  makeFactorBytes,
  makeRecoveryCodes,
  recoveryDigest,
  seal,
  stepOfCode,
  unseal,
} from '../../../src/people/factor/codes.ts';
import { openPeople } from '../../support/people.ts';

/** RFC 6238, appendix B: the secret, and codes of eight digits, of which the last six are used here. */
const RFC_SECRET = Buffer.from('12345678901234567890');

describe('a code of an authenticator app', () => {
  // Promise: second-factor-needed
  test.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('at second %i is that of RFC 6238', (second, code) => {
    expect(stepOfCode(RFC_SECRET, code, second * 1_000)).toBe(Math.floor(second / 30));
  });

  test('is valid in its time step and the adjacent ones only', () => {
    const step = Math.floor(1_111_111_111 / 30);
    const found = [-2, -1, 0, 1, 2].map((off) => stepOfCode(RFC_SECRET, '050471', (step + off) * 30_000 + 1));
    expect(found).toEqual([undefined, step, step, step, undefined]);
  });

  test.each(['', '12345', '1234567', '12345a', '١٢٣٤٥٦', ' 50471', '05047１'])(
    'has exactly six digits, so %j is invalid',
    (code) => {
      expect(stepOfCode(RFC_SECRET, code, 1_111_111_111_000)).toBeUndefined();
    },
  );

  test('comes from 160 random bits, and an otpauth address passes them to an app', () => {
    const [one, other] = [makeFactorBytes(), makeFactorBytes()];
    expect(one).toHaveLength(20);
    expect(Buffer.from(one)).not.toEqual(Buffer.from(other));
    const { secret, address } = factorSecret(RFC_SECRET, 'alice');
    expect(secret).toBe('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ');
    expect(address).toBe(
      `otpauth://totp/Limitline:alice?issuer=Limitline&secret=${secret}&algorithm=SHA1&digits=6&period=30`,
    );
  });
});

describe('a sealed secret', () => {
  const [key, other] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
  const sealed = seal(RFC_SECRET, key, 'alice');

  // Promise: nobody-signs-in-by-redis
  test('is decrypted with its key and its user only, and differs each time', () => {
    expect(unseal(sealed, key, 'alice')).toEqual(RFC_SECRET);
    expect(seal(RFC_SECRET, key, 'alice')).not.toBe(sealed);
    expect(bytesOf(sealed).includes(RFC_SECRET)).toBe(false);
  });

  test.each([
    ['with another key', sealed, other, 'alice'],
    ['as that of another user', sealed, key, 'mallory'],
    ['with a bit changed', changeBit(sealed, 15), key, 'alice'],
    ['with a bit of its nonce changed', changeBit(sealed, 0), key, 'alice'],
    ['with a bit of its tag changed', changeBit(sealed, bytesOf(sealed).length - 1), key, 'alice'],
    ['cut', sealed.slice(0, 30), key, 'alice'],
    ['of another version', `2.${sealed.slice(2)}`, key, 'alice'],
    ['without content', '', key, 'alice'],
  ])('is not decrypted %s', (_what, text, itsKey, of) => {
    expect(unseal(text, itsKey, of)).toBeUndefined();
  });
});

function bytesOf(sealed: string): Buffer {
  return Buffer.from(sealed.slice('1.'.length), 'base64url');
}

function changeBit(sealed: string, place: number): string {
  const bytes = bytesOf(sealed);
  bytes[place] = (bytes[place] ?? 0) ^ 1;
  return `1.${bytes.toString('base64url')}`;
}

describe('recovery codes', () => {
  test('are ten of 140 bits, all different', () => {
    const codes = [makeRecoveryCodes(), makeRecoveryCodes()].flat();
    expect(new Set(codes).size).toBe(20);
    for (const code of codes) expect(code).toMatch(/^[a-km-z2-8]{4}(-[a-km-z2-8]{4}){6}$/);
  });

  // Promise: nobody-signs-in-by-redis
  test('are accepted in any spelling, for their user only', () => {
    const [key, code] = [Buffer.alloc(32, 1), 'abcd-efgh-ijkm-npqr-stuv-wxyz'];
    const digest = recoveryDigest(code, 'alice', key);
    expect(recoveryDigest(' ABCD EFGHijkm-NPQR stuv wxyz ', 'alice', key)).toBe(digest);
    expect(recoveryDigest(code, 'bob', key)).not.toBe(digest);
    expect(recoveryDigest(code, 'alice', Buffer.alloc(32, 2))).not.toBe(digest);
  });
});

test('a new password discards a second factor that was begun under the old one', async () => {
  const { people, clock, addUser, setFactor } = openPeople();
  await addUser('anna', ['finance']);
  const factor = await setFactor('anna');
  const { secret } = await people.users.beginFactor('anna');
  await people.users.setPassword('anna', 'another bench under eight trees', { mustChange: false });
  const planted = new TOTP({ secret }).generate({ timestamp: clock.nowMs });
  expect(await people.users.confirmFactor('anna', planted)).toBeUndefined();
  const given = { name: 'anna', password: 'another bench under eight trees', from: '192.0.2.7' };
  expect(await people.check({ ...given, code: factor.nextCode() })).toMatchObject({ is: 'ok' });
});
