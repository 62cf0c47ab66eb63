import { currencyOf } from './currencies.ts';

/** Whether a word or words are a unit of thousands or millions: `TEUR`, `Mio. €`, `'000`. */
export function isThousands(word: string): boolean {
  const of = thousandsOf(word);
  return of !== null && (of === '' ? word.length > 1 : currencyOf(of) !== null);
}

/** Whether the unit names a currency as well: `TEUR` and `Tsd. €`, but not `thousands`. */
export function isThousandsOfMoney(word: string): boolean {
  return isThousands(word) && thousandsOf(word) !== '';
}

function thousandsOf(word: string): string | null {
  const match = THOUSANDS.exec(word);
  return match && (match[1] ?? match[2] ?? '').trim();
}

/**
 * Units of thousands or millions in table headings: alone, or with a currency before or after. Single letters come
 * last, because the first alternative wins and words begin with them.
 */
const THOUSANDS =
  /^(?:(?:tsd\.?|tausend|thousands?|thsd\.?|milliers|miles|mio\.?|mln\.?|millionen|millions?|'?000s?|1[.,']?000|[tkm])\s*(?:of|de|d'|d’)?\s*(.*)|(.*?)\s*(?:'?000s?|1[.,']?000|tsd\.?|thousands?|millions?|mio\.?|mln\.?|k))$/iu;
