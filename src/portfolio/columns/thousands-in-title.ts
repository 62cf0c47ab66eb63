import { isThousands, isThousandsOfMoney } from '../values/thousands.ts';

/**
 * The words by which a title puts amounts in thousands or millions, `TEUR` of `Limits Q4 (alle Beträge in TEUR)`; null
 * if there are none. A count is no unit: `Kunden über 2 Mio. EUR`, `Thousand Oaks Ltd`.
 */
export function thousandsIn(text: string): string | null {
  for (const part of text.slice(0, MAX_LENGTH).split(/[()[\]{};|]/)) {
    const words = part.split(/\s+/).filter((word) => word !== '');
    for (const at of words.keys()) {
      const found = unitAt(words, at);
      if (found !== null) return found;
    }
  }
  return null;
}

/** A title is a sentence; a longer text is none. */
const MAX_LENGTH = 1_000;

/** The unit that starts at a word: the longest of three, two or one words. */
function unitAt(words: readonly string[], at: number): string | null {
  const before = words[at - 1] ?? '';
  // A number before the word makes it a count.
  if (/\d/.test(before)) return null;
  for (const length of [3, 2, 1]) {
    const some = words.slice(at, at + length);
    const unit = some.join(' ').replace(/[,:!]+$/, '');
    if (some.length < length || !isThousands(unit)) continue;
    const isCount = /[1-9]/.test(unit);
    if (isThousandsOfMoney(unit) && !isCount) return unit;
    // `1.000 EUR` and `thousands` may be counts. They are units only alone, or after a word such as "in".
    const isWhole = some.length === words.length && (!isCount || isThousandsOfMoney(unit));
    const endsIt = at + length === words.length || !isCount || isThousandsOfMoney(unit);
    if (isWhole || (INTRODUCES.test(before) && endsIt)) return unit;
  }
  return null;
}

const INTRODUCES = /^(in|en)$/i;
