/** Whether a number format shows dates: by its built-in id, or by day or year in its code. */
export function isDateFormat(id: number, code: string | undefined): boolean {
  if (code === undefined)
    return (id >= 14 && id <= 17) || id === 22 || (id >= 27 && id <= 36) || (id >= 50 && id <= 58);
  return /[dy]/i.test(code.replace(/"[^"]*"|\\.|\[[^\]]*\]|_.|\*./g, '').replace(/general/gi, ''));
}

/** The minimum number of digits of a format such as `00000` for postal codes; 0 for other formats. */
export function leastDigits(code = ''): number {
  const [first = ''] = code.replace(/\[[^\]]*\]/g, '').split(';', 1);
  return /^0{2,}$/.test(first) ? first.length : 0;
}

/**
 * The word by which a number format shows thousands or millions, such as `T€` in `#,##0 "T€"`; otherwise ''. A format
 * that cuts off thousands, such as `#,##0,`, gives `thousands`: a person sees another number than the cell has.
 *
 * @param code the format (ECMA-376, part 1, 18.8.31); the caller limits its length.
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

/** Literal text in a format: `"T€"`, `\k`, and the sign of `[$€-407]`. */
const LITERAL = /"([^"]*)"|\\(.)|\[\$([^\]-]*)[^\]]*\]/g;

/** A comma after the last digit divides by a thousand. */
const CUT_OFF = /[0#?],+(?![0#?,])/;
