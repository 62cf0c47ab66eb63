import { createRequire } from 'node:module';
import codes from 'i18n-iso-countries/codes.json' with { type: 'json' };
import { likeness } from '../../likeness.ts';
import type { Reading } from './reading.ts';

/**
 * Reads a country: an ISO 3166-1 alpha-2 code in upper case, which is what the service shows (docs/service.md,
 * "Company"), or whatever names one country alone: the code in lower case, alpha-3, its name in English,
 * German, French or Spanish. XK, which ISO leaves to its users, counts as one: no other code is in use for Kosovo.
 */
export function readCountry(text: string): Reading {
  if (ALPHA_2.has(text)) return { value: text };
  const code = codeOf(text);
  if (code) return { value: code, change: 'It was not written as an ISO 3166-1 code.' };
  if (code === null) return { problem: `${text} may be several countries: write the code, such as CG or CD.` };
  return { problem: `${text} is not a country code: write the two letters of ISO 3166-1, such as DE or US.` };
}

const ALPHA_2 = new Set(codes.map((entry) => entry[0]));

/** Null for a name of several countries. */
function codeOf(text: string): string | null | undefined {
  const upper = text.toUpperCase();
  if (ALPHA_2.has(upper)) return upper;
  names ??= allNames();
  // The unchanged text comes first, because `countryKey` costs more than all the rest.
  const known = names.get(text);
  if (known !== undefined) return known;
  const code = names.get(countryKey(text));
  if (code !== undefined && names.size < MAX_NAMES) names.set(Buffer.from(text).toString(), code);
  return code;
}

let names: Map<string, string | null> | undefined;

/** Names in common use that no ISO list has. ISO reserves UK and EL for these countries. */
const SPOKEN: Record<string, string | null> = {
  UK: 'GB',
  EL: 'GR',
  'Great Britain': 'GB',
  Großbritannien: 'GB',
  'Grande Bretagne': 'GB',
  'Gran Bretaña': 'GB',
  England: 'GB',
  Scotland: 'GB',
  Wales: 'GB',
  'Northern Ireland': 'GB',
  Holland: 'NL',
  Tschechien: 'CZ',
  BRD: 'DE',
  // Two countries are called so.
  Congo: null,
  Kongo: null,
  Korea: null,
  Corea: null,
  Corée: null,
};

/** Four languages have some 1,500 names; the rest is room for other spellings in a file. */
const MAX_NAMES = 4_000;

/** Built for the first country that is no code, which many files do not have: 3 MB and 10 ms. */
function allNames(): Map<string, string | null> {
  const all = new Map<string, string | null>();
  const add = (name: string, code: string) => {
    const key = countryKey(name);
    const known = all.get(key);
    all.set(key, known === undefined || known === code ? code : null);
  };
  for (const [alpha2 = '', alpha3 = ''] of codes) add(alpha3, alpha2);
  const load = createRequire(import.meta.url);
  for (const language of ['en', 'de', 'fr', 'es']) {
    const { countries } = load(`i18n-iso-countries/langs/${language}.json`) as {
      countries: Record<string, string | string[]>;
    };
    for (const [code, written] of Object.entries(countries)) for (const name of [written].flat()) add(name, code);
  }
  for (const [name, code] of Object.entries(SPOKEN)) all.set(countryKey(name), code);
  return all;
}

/** In capitals first, among which are some that have two small forms: `ı` and `i`. */
function countryKey(name: string): string {
  return likeness(name.toUpperCase());
}
