/** Whether numbers of this format are days: one of the formats that have no code, or a code with day, month or year. */
export function isDateFormat(id: number, code: string | undefined): boolean {
  if (code === undefined)
    return (id >= 14 && id <= 17) || id === 22 || (id >= 27 && id <= 36) || (id >= 50 && id <= 58);
  return /[dy]/i.test(code.replace(/"[^"]*"|\\.|\[[^\]]*\]|_.|\*./g, '').replace(/general/gi, ''));
}

/** How many digits a format of zeros alone shows at least, such as `00000` of a postal code; 0 for others. */
export function leastDigits(code = ''): number {
  const [first = ''] = code.replace(/\[[^\]]*\]/g, '').split(';', 1);
  return /^0{2,}$/.test(first) ? first.length : 0;
}

/**
 * The word by which a number's format says that it is in thousands or millions, such as `T€` of `#,##0 "T€"`; '' where it
 * says nothing of it. A format that cuts off thousands, as `#,##0,` does, is `thousands`, since what a person sees is not
 * what the cell has.
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

/** A comma behind the last digit divides by a thousand. */
const CUT_OFF = /[0#?],+(?![0#?,])/;
