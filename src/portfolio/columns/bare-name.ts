import { currencyOf } from '../values/currencies.ts';
import { isThousands } from '../values/thousands.ts';

/** A header's name without its unit and other additions. */
type BareName = {
  name: string;
  /** The currency after the name, as written: `Kreditlimit (EUR)`. */
  currency: string | null;
  /** Whether the name says that amounts are in thousands or millions. */
  thousands: boolean;
  /** Whether brackets hold more than a unit: `Limit (old)` may mean something else than `Limit`. */
  said: boolean;
};

/**
 * Removes what describes the form of a column rather than its meaning: an asterisk, a colon, a currency after the name,
 * and brackets with a currency, "ISO" or "required".
 */
export function bareName(written: string): BareName {
  const found: BareName = { name: '', currency: null, thousands: false, said: false };
  const without = written
    .replace(/[*:\u2020]+\s*$|^\s*\*+/g, ' ')
    .replace(/[([{<]([^()[\]{}<>]*)[)\]}>]/g, (_all, inside: string) => {
      note(inside, found);
      return ' ';
    })
    .replace(/[*:]+\s*$/, '')
    .trim();
  const behind =
    /^(.+?)[\s,/-]+(?:in\s+|en\s+)?([A-Z]{0,2}\p{Sc}|[A-Z]{3}|T€|k€|TEUR|kEUR|MEUR|Euro|Mio\.?(?:\s*EUR|\s*€)?|Tsd\.?(?:\s*EUR|\s*€)?)$/u.exec(
      without,
    );
  if (behind && isUnit(behind[2] ?? '')) {
    note(behind[2] ?? '', found);
    return { ...found, name: behind[1] ?? '' };
  }
  return { ...found, name: without };
}

/** Descriptions of a cell's format, or of whether it is required. */
const HARMLESS =
  /^(iso|iso[\s-]*(code|3166|4217)([\s-].*)?|code|2[\s-]*(letters?|stellig|lettres)|alpha-?2|required|mandatory|optional|pflicht(feld)?|freiwillig|obligatoire|facultatif|obligatorio|opcional|text|number|zahl|datum|date|yyyy-mm-dd|tt\.mm\.jjjj|dd[./]mm[./]yyyy|url|http.*|netto|brutto|)$/i;

function isUnit(word: string): boolean {
  return currencyOf(word) !== null || isThousands(word);
}

function note(inside: string, found: BareName): void {
  const word = inside.trim().replace(/^(in|en)\s+/i, '');
  if (isThousands(word)) found.thousands = true;
  else if (currencyOf(word) !== null) found.currency = word;
  else if (!HARMLESS.test(word)) found.said = true;
}
