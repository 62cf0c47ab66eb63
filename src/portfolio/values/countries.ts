import { createRequire } from 'node:module';
import codes from 'i18n-iso-countries/codes.json' with { type: 'json' };
import { likeness } from '../../likeness.ts';
import type { ValueReading } from './reading.ts';

/**
 * Reads a country: ISO 3166-1 alpha-2 in upper case, as the service uses (docs/service.md, "Company"), or any unambiguous form: lower case,
 * alpha-3, or the name in one of {@link LANGUAGES}, also with the code beside it. XK counts as a code: ISO reserves it for users, and Kosovo has no other.
 */
export function readCountry(text: string): ValueReading {
  if (ALPHA_2.has(text)) return { value: text };
  const plain = codeOf(text);
  const code = plain === undefined ? codeOfBoth(text) : plain;
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

/** The code of a country that is written twice, as `DE - Germany` and `Germany (DE)`; undefined where the two differ. */
function codeOfBoth(text: string): string | null | undefined {
  const [, one, other] = TWICE.exec(text) ?? TWICE_BEHIND.exec(text) ?? [];
  const code = one && other ? codeOf(one) : undefined;
  return code && code === codeOf(other ?? '') ? code : undefined;
}

const TWICE = /^([A-Z]{2,3})\s*[-–:,/]\s*(\S.{2,60})$/u;
const TWICE_BEHIND = /^(\S.{2,60}?)\s*[(,/–-]\s*([A-Z]{2,3})\)?$/u;

let names: Map<string, string | null> | undefined;

/** Common names that ISO does not list. UK and EL are reserved by ISO for these countries. */
const SPOKEN: Readonly<Record<string, readonly string[]>> = {
  AE: ['UAE'],
  BY: ['Weißrussland'],
  CN: ['VR China', 'PR China', 'P.R. China'],
  CZ: ['Tschechien', 'Cechia'],
  DE: ['BRD'],
  GB: [
    ...[
      'UK',
      'U.K.',
      'England',
      'Scotland',
      'Wales',
      'Northern Ireland',
      'Great Britain',
      'Großbritannien',
      'Gran Bretaña',
    ],
    ...['Grande Bretagne', 'Gran Bretagna', 'Groot-Brittannië', 'Grã-Bretanha', 'Marea Britanie', 'Nagy-Britannia'],
    ...['Velká Británie', 'Engeland', 'Angleterre', 'Inglaterra', 'Inghilterra', 'Anglia', 'Anglie'],
  ],
  GR: ['EL'],
  IE: ['Eire', 'Republic of Ireland'],
  NL: ['Holland', 'Olanda'],
  SK: ['Slovak Republic', 'Slovenská republika'],
  US: ['Stati Uniti'],
  VN: ['Viet Nam'],
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

/** The languages in which names of countries are known. No name of theirs means two countries, but for those that are shared. */
const LANGUAGES =
  'en de fr es it nl pt pl cs sk sl hr sr bs hu ro bg el sv da nb fi et lv lt ca tr uk ru ja zh ko'.split(' ');

/** Three letters or less read like a code, or like a currency: Chad is `Çad` in Turkish. */
const SHORT = /^[a-z]{1,3}$/;

/** Most names in the lookup table. The languages have some 4,700; the rest caches spellings that occur in files. */
const MAX_NAMES = 6_000;

/** The lookup table of names. It is built for the first text that is no code, which many files never have, and takes 1 MB and 40 ms. */
function allNames(): Map<string, string | null> {
  const all = new Map<string, string | null>();
  const add = (name: string, code: string) => {
    const key = countryKey(name);
    const known = all.get(key);
    all.set(key, known === undefined || known === code ? code : null);
  };
  for (const [alpha2 = '', alpha3 = ''] of codes) add(alpha3, alpha2);
  const load = createRequire(import.meta.url);
  for (const language of LANGUAGES) {
    const { countries } = load(`i18n-iso-countries/langs/${language}.json`) as {
      countries: Record<string, string | string[]>;
    };
    for (const [code, written] of Object.entries(countries)) {
      for (const name of [written].flat()) if (!SHORT.test(countryKey(name))) add(name, code);
    }
  }
  for (const [code, spoken] of Object.entries(SPOKEN)) for (const name of spoken) all.set(countryKey(name), code);
  for (const key of SHARED.keys()) all.set(key, null);
  return all;
}

/** The form in which names of countries are compared. It is made from upper case, since some capitals have two small forms: `ı` and `i`. */
function countryKey(name: string): string {
  return likeness(name.toUpperCase());
}
