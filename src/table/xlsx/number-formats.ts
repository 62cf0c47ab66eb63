/** Whether this number format shows dates: a built-in format without a code, or a code with day, month or year. */
export function isDateFormat(id: number, code: string | undefined): boolean {
  if (code === undefined)
    return (id >= 14 && id <= 17) || id === 22 || (id >= 27 && id <= 36) || (id >= 50 && id <= 58);
  return /[dy]/i.test(code.replace(/"[^"]*"|\\.|\[[^\]]*\]|_.|\*./g, '').replace(/general/gi, ''));
}

/** The least number of digits that a format of zeros shows, such as `00000` of a postal code; 0 for other formats. */
export function leastDigits(code = ''): number {
  const [first = ''] = code.replace(/\[[^\]]*\]/g, '').split(';', 1);
  return /^0{2,}$/.test(first) ? first.length : 0;
}

/**
 * The word in a number's format that means thousands or millions, such as `T€` of `#,##0 "T€"`; '' if there is none. A format that divides
 * by a thousand, such as `#,##0,`, gives `thousands`, because a person sees another number than the cell has.
 *
 * @param code the format (ECMA-376, part 1, 18.8.31), bounded in length by the caller.
 * @param saysThousands whether a word beside a number says so.
 */
export function shownScale(code = '', saysThousands: (word: string) => boolean): string {
  const [positive = ''] = code.split(';', 1);
  const literals = [...positive.matchAll(LITERAL)].map(
    ([, quoted, escaped, bracketed]) => quoted ?? escaped ?? bracketed,
  );
  const word = literals.join('').trim();
  if (saysThousands(word)) return word;
  return CUT_OFF.test(positive.replace(LITERAL, '').replace(/\[[^\]]*\]/g, '')) ? 'thousands' : '';
}

/** `"T€"`, `\k`, and the sign of `[$€-407]`. */
const LITERAL = /"([^"]*)"|\\(.)|\[\$([^\]-]*)[^\]]*\]/g;

/** A comma after the last digit divides the shown number by a thousand. */
const CUT_OFF = /[0#?],+(?![0#?,])/;
