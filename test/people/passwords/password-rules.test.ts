import { describe, expect, test } from 'vitest';
import {
  commonDigests,
  makeInitialPassword,
  normalPassword,
  passwordFault,
} from '../../../src/people/passwords/password-rules.ts';

describe('a password', () => {
  test.each([
    ['of several words', 'a bench under seven trees'],
    ['of letters alone', 'qvxzrtkplmwb'],
    ['of 12 characters that are two units each', '𝒶𝒷𝒸𝒹𝑒𝒻𝑔𝒽𝒾𝒿𝓀𝓁'],
    ['of 64 characters', 'xy7 '.repeat(16)],
    ['of 1,000 characters', 'xy7 '.repeat(250)],
    ['that contains the product’s name and more', 'my limitline and other animals'],
  ])('%s is accepted', (_what, password) => {
    expect(passwordFault(password, 'alice')).toBeUndefined();
  });

  test.each([
    ['of 11 characters', 'qvxzrtkplmw', /has 11 characters; it needs 12/],
    ['of nothing', '', /has 0 characters/],
    ['of 6 characters that are two units each', '𝒶𝒷𝒸𝒹𝑒𝒻', /has 6 characters/],
    ['of 11 letters with their marks apart', 'e\u0301'.repeat(11), /has 11 characters/],
    ['of 1,001 characters', 'x'.repeat(1_001), /more than 1000/],
    ['that is common', 'passwordpassword', /most common/],
    ['that is common, in other case', 'PassWordPassWord', /most common/],
    ['that is common, of digits', '123456789012', /most common/],
    ["that is the user's name, padded", 'alice-1234567', /user's own name/],
    ["that is the user's name, again and again", 'AliceAliceAlice', /user's own name/],
    ['that is the product, padded', 'Limitline2026', /limitline/],
  ])('%s is refused', (_what, password, why) => {
    expect(passwordFault(password, 'alice')).toMatch(why);
  });

  test('that consists of a known word is refused, and one that also contains others is not', () => {
    expect(passwordFault('Acme-Factoring', 'alice', ['acme-factoring'])).toMatch(/the word "acme-factoring"/);
    expect(passwordFault('Acme-Factoring', 'alice')).toBeUndefined();
    expect(passwordFault('a bench of trees by acme-factoring', 'al', ['acme-factoring', 'a', ''])).toBeUndefined();
  });

  test('is normalised to one composition, and not changed otherwise', () => {
    expect(normalPassword('Cafe\u0301')).toBe(normalPassword('Caf\u00e9'));
    expect(normalPassword(' Ⅳ² ﬁ \n')).toBe(' Ⅳ² ﬁ \n');
  });

  test('is compared with 3,000 common ones by digest', () => {
    expect(new Set(commonDigests()).size).toBe(3_000);
  });

  test('generated for a first sign-in is different each time, readable and acceptable', () => {
    const made = new Set(Array.from({ length: 100 }, makeInitialPassword));
    expect(made.size).toBe(100);
    for (const one of made) {
      expect(one).toMatch(/^[a-hj-kmnp-z]{5}(-[a-hj-kmnp-z]{5}){5}$/);
      expect(passwordFault(one, 'alice')).toBeUndefined();
    }
  });
});
