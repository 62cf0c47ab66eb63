import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type BuyerIdentity, buyerKey, requestKey, squeeze } from '../../../src/portfolio/identity/identity.ts';
import { anyText } from '../../support/any-text.ts';

const FULL: BuyerIdentity = {
  buyerReference: 'B-1',
  countryCode: 'DE',
  registrationNumber: 'HRB 1',
  informationSource: 'creditsafe',
  informationId: 'DE001',
  name: 'Acme GmbH',
};

describe('buyerKey', () => {
  test('is 16 characters of base64url of the SHA-256 of the squeezed text', () => {
    const digest = createHash('sha256').update('reference\nb-1\n').digest('base64url');
    expect(buyerKey(FULL)).toBe(digest.slice(0, 16));
  });

  test.each<[string, Partial<BuyerIdentity>, Partial<BuyerIdentity>]>([
    ['the reference first', {}, { name: 'X', countryCode: 'FR', registrationNumber: '2', informationId: '3' }],
    ['then information source and id', { buyerReference: undefined }, { name: 'X', registrationNumber: '2' }],
    [
      'then country and registration number',
      { buyerReference: undefined, informationSource: undefined },
      { name: 'X' },
    ],
    [
      'no registration number without a country',
      { buyerReference: undefined, countryCode: undefined },
      { registrationNumber: '2', name: 'X' },
    ],
    [
      'no information id without its source',
      { buyerReference: undefined, registrationNumber: undefined, informationSource: undefined },
      { informationId: '3' },
    ],
  ])('uses %s', (_, without, irrelevant) => {
    expect(buyerKey({ ...FULL, ...without })).toBe(buyerKey({ ...FULL, ...irrelevant, ...without }));
  });

  test('uses name and country if nothing else is given', () => {
    const key = buyerKey({ name: 'Acme GmbH', countryCode: 'DE' });
    expect(buyerKey({ name: ' ACME  gmbh ', countryCode: 'DE' })).toBe(key);
    expect(buyerKey({ name: 'Acme GmbH', countryCode: 'AT' })).not.toBe(key);
    expect(buyerKey({ name: 'Acme GmbH' })).not.toBe(key);
  });

  test('never equals the key of another kind of identifier', () => {
    const keys = [
      buyerKey({ buyerReference: 'de\nacme', name: '' }),
      buyerKey({ buyerReference: 'de acme', name: '' }),
      buyerKey({ countryCode: 'DE', registrationNumber: 'acme', name: '' }),
      buyerKey({ informationSource: 'DE', informationId: 'acme', name: '' }),
      buyerKey({ countryCode: 'DE', name: 'acme' }),
      requestKey({ requestReference: 'de acme', buyer: '', requestedLimit: '' }),
    ];
    // A line break folds to a space, so the first two are the same reference.
    expect(new Set(keys).size).toBe(keys.length - 1);
  });
});

describe('requestKey', () => {
  const given = { buyer: buyerKey(FULL), requestedLimit: '1000.5' };

  test('depends only on the request reference if there is one', () => {
    const key = requestKey({ ...given, requestReference: 'R-1' });
    expect(requestKey({ requestReference: ' r-1 ', buyer: 'other', requestedLimit: '7' })).toBe(key);
    expect(requestKey({ ...given, requestReference: 'R-2' })).not.toBe(key);
  });

  test('depends on buyer and limit otherwise', () => {
    const key = requestKey(given);
    expect(key).toMatch(/^[\w-]{16}$/);
    expect(requestKey({ ...given, requestReference: undefined })).toBe(key);
    expect(requestKey({ ...given, requestedLimit: '1000.51' })).not.toBe(key);
    expect(requestKey({ ...given, buyer: given.buyer.toLowerCase() })).not.toBe(key);
  });
});

describe('squeeze', () => {
  test.each([
    ['  Acme   GmbH ', 'acmegmbh'],
    ['ACME\tGmbH', 'acmegmbh'],
    ['Acme\u00a0\n GmbH', 'acmegmbh'],
    ['ÉCOLE', 'école'],
    ['E\u0301cole', '\u00e9cole'],
    // U+01F0 has no single upper-case character, so the two spellings become equal only if composed after lower-casing.
    ['J\u030c', '\u01f0'],
    ['Ｆｕｌｌ', 'ｆｕｌｌ'],
    ['STRASSE', 'strasse'],
  ])('turns %j into %j', (text, squeezed) => {
    expect(squeeze(text)).toBe(squeezed);
  });

  test('changes nothing the second time', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(squeeze(squeeze(text))).toBe(squeeze(text));
      }),
    );
  });
});
