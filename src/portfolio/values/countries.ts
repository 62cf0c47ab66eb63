import { createRequire } from 'node:module';
import codes from 'i18n-iso-countries/codes.json' with { type: 'json' };
import { likeness } from '../../likeness.ts';
import type { ValueReading } from './reading.ts';

/**
 * Reads a country: ISO 3166-1 alpha-2 in upper case, as the service uses (docs/service.md, "Company"), or any unambiguous form: lower case,
 * alpha-3, or the name in English, German, French or Spanish. XK counts as a code: ISO reserves it for users, and Kosovo has no other.
 */
export function readCountry(text: string): ValueReading {
  if (ALPHA_2.has(text)) return { value: text };
  const code = codeOf(text);
  if (code) return { value: code, change: 'It was not written as an ISO 3166-1 code.' };
  if (code === null) {
    const such = SHARED.get(countryKey(text));
    return { problem: `${text} may be several countries: write the code${such === undefined ? '' : `, ${such}`}.` };
  }
  return { problem: `${text} is not a country code: write the two letters of ISO 3166-1, such as DE or US.` };
}

const ALPHA_2 = new Set(codes.map((entry) => entry[0]));

/** The alpha-2 code of a country's code or name; null for a name that several countries share, undefined for an unknown text. */
function codeOf(text: string): string | null | undefined {
  const upper = text.toUpperCase();
  if (ALPHA_2.has(upper)) return upper;
  names ??= allNames();
  // The exact text first, because normalizing it costs more than everything else.
  const known = names.get(text);
  if (known !== undefined) return known;
  const code = names.get(countryKey(text));
  if (code !== undefined && names.size < MAX_NAMES) names.set(Buffer.from(text).toString(), code);
  return code;
}

let names: Map<string, string | null> | undefined;

/** Common names that ISO does not list. UK and EL are reserved by ISO for these countries. */
const SPOKEN: Record<string, string> = {
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
};

/** Names that two states share, so neither is chosen, with the codes of both. */
const SHARED: ReadonlyMap<string, string> = new Map(
  [
    ['Congo', 'CG or CD'],
    ['Kongo', 'CG or CD'],
    ['Korea', 'KR or KP'],
    ['Corea', 'KR or KP'],
    ['Corée', 'KR or KP'],
  ].map(([name = '', codes = '']) => [countryKey(name), codes]),
);

/** Most names in the lookup table. The four languages have some 1,500; the rest caches spellings that occur in files. */
const MAX_NAMES = 4_000;

/** The lookup table of names. It is built for the first text that is no code, which many files never have, and takes 3 MB and 10 ms. */
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
  for (const key of SHARED.keys()) all.set(key, null);
  return all;
}

/** The form in which names of countries are compared. It is made from upper case, since some capitals have two small forms: `ı` and `i`. */
function countryKey(name: string): string {
  return likeness(name.toUpperCase());
}
