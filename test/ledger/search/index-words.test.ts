import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  beginsWith,
  INDEXED_LETTERS,
  indexWords,
  namesNumber,
  searchedName,
} from '../../../src/ledger/search/index-words.ts';
import { makeRequest } from '../../support/ledger.ts';

describe('a name', () => {
  test.each([
    ['Müller', 'Mueller', true],
    ['Mueller', 'Müll', true],
    ['Müller', 'Mull', true],
    ['Muster', 'Mue', false],
    ['Blum', 'Blue', false],
    ['STRASSE 1', 'straße', true],
    ['Århus Å/S', 'aarhus', true],
    ['Søren', 'soe', true],
    ['Łódź', 'lod', true],
    ['ÉCLAIR', 'ecl', true],
    ['A.B. & Co', 'a b co', true],
    ['東京', '東', true],
    ['Acme', 'me', false],
    ['Acme', '', false],
    ['Acme', '!!', false],
  ])('%s begins with %s: %s', (name, text, is) => {
    expect(beginsWith(name, text)).toBe(is);
  });

  test('begins with each of its beginnings in any case and Unicode form, also in the index', () => {
    const letters = fc.string({ unit: fc.constantFrom(...'aeouAEOUäÖüßæøåŁ&. -xyzé1東'), maxLength: 30 });
    fc.assert(
      fc.property(letters, fc.nat(30), fc.constantFrom('NFC', 'NFD'), (name, length, form) => {
        const text = [...name].slice(0, length).join('');
        for (const written of [text.normalize(form), text.toUpperCase(), text.toLowerCase()]) {
          const sought = searchedName(written);
          expect(beginsWith(name, written)).toBe(sought !== '');
          const entry = indexWords(makeRequest({ name })).split('\n')[1] ?? '';
          expect(entry.startsWith(sought.slice(0, INDEXED_LETTERS))).toBe(true);
        }
      }),
    );
  });
});

test.each([
  ['HRB 12', 'hrb-12', true],
  ['HRB 12', 'HRB12', true],
  ['15-048-3782', '150483782', true],
  ['12', 'HRB 12', true],
  ['108.863.541', 'CHE-108.863.541', true],
  ['HRB 12', 'HRB 120', false],
  ['2', 'HRB 12', false],
  ['HRB 12', '12', false],
])('%s finds the number %s: %s', (one, other, is) => {
  expect(namesNumber(one, other)).toBe(is);
});

test('a row has one digest for each of its numbers in any spelling, and none for text without digits or letters', () => {
  const digestsOf = (limit: Record<string, string>) =>
    indexWords(makeRequest({ limit: { requested_limit: '1', ...limit } })).split('\n')[0];
  expect(digestsOf({})).toBe('');
  expect(digestsOf({ company_registration_number: '--' })).toBe('');
  expect(digestsOf({ company_registration_number: 'HRB 1' })).toBe(digestsOf({ business_information_id: 'hrb-1' }));
  expect(digestsOf({ company_registration_number: 'HRB 1', business_information_id: '7' })).toMatch(/^\w{12} \w{12}$/);
});
