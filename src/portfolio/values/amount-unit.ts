import { likeness } from '../../likeness.ts';
import { currencyOf } from './currencies.ts';
import type { ValueReading } from './reading.ts';
import { isThousands } from './thousands.ts';

/**
 * What is wrong with the word beside an amount, in a sentence: that it says thousands or millions, or is no currency; null
 * where it is a currency, or there is none. `50 T€` read as 50 would be a limit that no one means.
 *
 * @param text the whole cell, bounded in length by the caller.
 */
export function unitProblem(text: string): string | null {
  const word = text.replace(BESIDES, '').trim().replace(/\.$/, '');
  if (word === '' || currencyOf(word) !== null || currencyOf(`${word}.`) !== null) return null;
  if (saysThousands(word)) {
    return `The amount is written in thousands or millions (${word}): write it in full, like 1234.50.`;
  }
  if (!CODE.test(word)) return null;
  return `${word} beside the amount is not a currency that is known here: write the amount alone, like 1234.50.`;
}

/** Whether a word beside digits says that they are in thousands or millions: `T€`, `k`, `Mio`. */
export function saysThousands(word: string): boolean {
  return currencyOf(word) === null && (isThousands(word) || isScale(word));
}

/** Reads the currency of a line's amount, or its unit, which stand in columns of their own. The service is told neither. */
export function readUnit(text: string): ValueReading {
  const word = text.replace(/^(in|en)\s+/i, '');
  if (word.length > MAX_LENGTH || !saysThousands(word)) return { value: text };
  return {
    problem: `The amount is written in thousands or millions (${word}): write it in full, like 1234.50, and its currency here; if the column means something else, say --map "HEADER=".`,
  };
}

/** Whether a column that is none of ours says by its name that it holds the unit of amounts. */
export function namesUnit(header: string): boolean {
  return UNIT.test(likeness(header));
}

/** Longer than any unit; a cell may be a megabyte. */
const MAX_LENGTH = 40;

const UNIT = /(?:^|\s)(?:unit|units|unite|unidad|eenheid)$|einheit(?:en)?$/;

/** Digits with what separates them, signs and brackets, at both ends: the word alone is left. */
const BESIDES = /^[\d.,'’_\s()+\u2212-]+|[\d,'’_\s()+\u2212-]+$/g;

/** What the pattern of amounts takes for a currency by its form. */
const CODE = /^(?:[A-Z]{3}|[A-Z]{0,3}\p{Sc})$/u;

/** Beside digits a letter says it as well, which alone in a header would say nothing: `5 k`, `1.5 M€`, `3 MEUR`, `2 tkr`. */
const SCALES = ['t', 'tds', 'k', 'm', 'mm', 'mn', 'mil', 'mill', 'md', 'mrd', 'bn'];

function isScale(word: string): boolean {
  const lower = word.toLowerCase();
  return SCALES.some((scale) => {
    const rest = lower.startsWith(scale) ? word.slice(scale.length).replace(/^[.\s]+/, '') : null;
    return rest === '' || (rest !== null && currencyOf(rest) !== null);
  });
}
