import { describe, expect, test } from 'vitest';
import { readCountry } from '../../../src/portfolio/values/countries.ts';

describe('a country', () => {
  test.each([
    ['de', 'DE'],
    ['DEU', 'DE'],
    ['germany', 'DE'],
    ['GERMANIA', 'DE'],
    ['Niemcy', 'DE'],
    ['Německo', 'DE'],
    ['Γερμανία', 'DE'],
    ['Nederland', 'NL'],
    ['Österrike', 'AT'],
    ['Stati Uniti', 'US'],
    ['Groot Brittannië', 'GB'],
    ['u.k.', 'GB'],
    ['USA', 'US'],
    ['UAE', 'AE'],
    ['EL', 'GR'],
    ['Россия', 'RU'],
    ['日本', 'JP'],
    ['DE - Germany', 'DE'],
    ['Niemcy (DE)', 'DE'],
  ])('is read from %s', (text, value) => {
    expect(readCountry(text)).toEqual({ value, change: 'It was not written as an ISO 3166-1 code.' });
  });

  // Promise: name-of-one-country
  test.each([
    ['Kongo', 'CG or CD'],
    ['Korea', 'KR or KP'],
    ['São Martinho', undefined],
  ])('is not chosen for %s, which means two', (text, such) => {
    const codes = such === undefined ? '' : `, ${such}`;
    expect(readCountry(text)).toEqual({ problem: `${text} may be several countries: write the code${codes}.` });
  });

  test.each(['D', 'GER', 'Bavaria', '49', 'CAD', 'CHF', 'Kč', 'DE - Austria', 'AT/DE'])(
    'is not guessed from %s',
    (text) => {
      expect(readCountry(text)).toEqual({ problem: expect.stringContaining(`${text} is not a country code`) });
    },
  );
});
