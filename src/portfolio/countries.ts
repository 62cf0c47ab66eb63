import codes from 'i18n-iso-countries/codes.json' with { type: 'json' };
import english from 'i18n-iso-countries/langs/en.json' with { type: 'json' };

/**
 * Null for an ISO 3166-1 alpha-2 code in upper case, which is what the service shows (service-api.md,
 * `address.country_code`); else a sentence that names the right code where it can be told.
 * XK, which ISO leaves to its users, counts as one: no other code is in use for Kosovo.
 */
export function countryProblem(text: string): string | null {
  if (ALPHA_2.has(text)) return null;
  const meant = likelyCode(text);
  if (meant) return `Write ${meant}, not ${text}.`;
  return `${text} is no country code: write the two letters of ISO 3166-1, such as DE or US.`;
}

const ALPHA_2 = new Set(codes.map((entry) => entry[0]));

function likelyCode(text: string): string | undefined {
  const upper = text.toUpperCase();
  return ALPHA_2.has(upper) ? upper : otherNames().get(upper);
}

let names: Map<string, string> | undefined;

/** Alpha-3 codes and English names, in upper case; made at the first mistake, which many files never have. */
function otherNames(): Map<string, string> {
  // Reserved for the United Kingdom and widely written, but never assigned.
  names ??= new Map([
    ['UK', 'GB'],
    ...codes.map((entry): [string, string] => [entry[1] ?? '', entry[0] ?? '']),
    ...Object.entries(english.countries).flatMap(([code, name]) =>
      [name].flat().map((one): [string, string] => [one.toUpperCase(), code]),
    ),
  ]);
  return names;
}
