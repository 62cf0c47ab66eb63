import { likeness } from '../../likeness.ts';
import { currencyOf } from './currencies.ts';
import type { ValueReading } from './reading.ts';

/**
 * The problem with the word beside an amount: it means thousands or millions, or is no currency. null if it is a
 * currency or missing. `50 T€` must not become a limit of 50.
 *
 * @param text the whole cell; the caller limits its length.
 */
export function unitProblem(text: string): string | null {
  const word = text.replace(BESIDES, '').trim().replace(/\.$/, '');
  if (word === '' || currencyOf(word) !== null || currencyOf(`${word}.`) !== null) return null;
  if (saysThousands(word)) {
    return `The amount is written in thousands or millions (${word}): write it in full, like 1234.50.`;
  }
  if (!CODE.test(word)) return null;
  return `${word} beside the amount is not a currency that Limitline knows: write the amount alone, like 1234.50.`;
}

/** Whether a word beside digits means thousands or millions: `T€`, `k`, `Mio`. */
export function saysThousands(word: string): boolean {
  return currencyOf(word) === null && (isThousands(word) || isScale(word));
}

/** Reads the currency or unit of an amount from a column of its own. Neither is sent. */
export function readUnit(text: string): ValueReading {
  const word = text.replace(/^(in|en)\s+/i, '');
  if (word.length > MAX_LENGTH || !saysThousands(word)) return { value: text };
  return {
    problem: `The amount is written in thousands or millions (${word}): write it in full, like 1234.50, and its currency here; if the column means something else, say --map "HEADER=".`,
  };
}

/** Whether an unknown column's name says that it holds the unit of amounts. */
export function namesUnit(header: string): boolean {
  return UNIT.test(likeness(header));
}

/** Whether a word or words are a unit of thousands or millions: `TEUR`, `Mio. €`, `'000`. */
export function isThousands(word: string): boolean {
  const of = NO_UNITS.test(word) ? null : thousandsOf(word);
  return of !== null && (of === '' ? !LETTERS.test(word) : currencyOf(of) !== null);
}

/** Whether the unit names a currency as well: `TEUR` and `Tsd. €`, but not `thousands`. */
export function isThousandsOfMoney(word: string): boolean {
  return isThousands(word) && thousandsOf(word) !== '';
}

/** Most characters of a unit: more than any has. A cell may have a megabyte. */
const MAX_LENGTH = 40;

const UNIT = /(?:^|\s)(?:unit|units|unite|unidad|eenheid)$|einheit(?:en)?$/;

/** Digits with separators, signs and brackets at both ends. Removing them leaves the word. */
const BESIDES = /^[\d.,'’_\s()+\u2212-]+|[\d,'’_\s()+\u2212-]+$/g;

/** Texts that have the form of a currency in the pattern of amounts. */
const CODE = /^(?:[A-Z]{3}|[A-Z]{0,3}\p{Sc})$/u;

/** Beside digits, a letter means a scale, although it means nothing in a header: `5 k`, `1.5 M€`, `3 MEUR`, `2 tkr`. */
const SCALES = ['t', 'tds', 'k', 'm', 'mm', 'mn', 'mil', 'mill', 'md', 'mrd', 'bn'];

function isScale(word: string): boolean {
  const lower = word.toLowerCase();
  return SCALES.some((scale) => {
    const rest = lower.startsWith(scale) ? word.slice(scale.length).replace(/^[.\s]+/, '') : null;
    return rest === '' || (rest !== null && currencyOf(rest) !== null);
  });
}

function thousandsOf(word: string): string | null {
  const match = THOUSANDS.exec(word);
  return match && (match[1] ?? match[2] ?? '').trim();
}

/** Words for thousands and millions, in the languages of lists. Short ones end there, because currencies begin like them: `TISK`. */
const WORDS = [
  String.raw`tsd\.?|tausend|thsd\.?|thousands?|milliers|miles|migliaia|duizend(?:en)?|ezer|тыс\.?|t[iy]s\.?(?=\s|$)`,
  String.raw`mio\.?|mln\.?|млн\.?|mrd\.?|mn\.?(?=\s|$)|millionen|millions?|milioni|miljoen|bn\.?(?=\s|$)|billions?`,
  'lakhs?|lacs|crores?|(?:千|百万|万|萬|億|亿)[円元]?',
  String.raw`'?000s?|[x×]?\s?1[.,']?000`,
].join('|');

/** These mean thousands or millions only beside a currency: a column `Number (BN)` has business numbers. */
const LETTERS = /^(?:[tkm]|mn|bn|.)$/iu;

/** Words and names that read like a letter and a currency: a month, a template, a number, a form of companies. */
const NO_UNITS = /^(?:[mM]ars|MARS|[mM]all|[tT]all|[kK]ern|[tT]ern|[kK]ron|Kft|KFT)$/;

/**
 * Units of thousands or millions in table headings: alone, or with a currency before or after. Single letters come
 * last, because the first alternative wins and words begin with them.
 */
const THOUSANDS = new RegExp(
  String.raw`^(?:(?:${WORDS}|[tkm]-?)\s*(?:of|de|di|d'|d’)?\s*(.*)|(.*?)\s*(?:${WORDS}|k|m))$`,
  'iu',
);
