import { expect, test } from 'vitest';
import { makeSeal } from '../../src/service/token.ts';

test('open returns what close sealed, and nothing for another secret, account or content', () => {
  const seal = makeSeal('secret', 'account');
  const sealed = seal.close('a token');
  expect(seal.open(sealed)).toBe('a token');
  expect(sealed).not.toContain('token');
  expect(seal.close('a token')).not.toBe(sealed);
  expect(makeSeal('another secret', 'account').open(sealed)).toBeUndefined();
  expect(makeSeal('secret', 'another account').open(sealed)).toBeUndefined();
  const bytes = Buffer.from(sealed, 'base64');
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
  expect(seal.open(bytes.toString('base64'))).toBeUndefined();
  expect(seal.open('')).toBeUndefined();
});
