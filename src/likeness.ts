/**
 * The form in which a name is compared with others: without case, accents and punctuation, so that `Straße`, `STRASSE` and `strasse` are
 * equal. '' if nothing is left.
 */
export function likeness(name: string): string {
  // A header may have hundreds of thousands of columns without a name.
  return name === '' ? '' : plainWordsOf(smallLetters(name.slice(0, LONGEST)).replaceAll('ß', 'ss'));
}

/** A cell of a header may be a megabyte, and one character can become eighteen letters. */
const LONGEST = 1_000;

/** The text in lower case without accents: `Übertrag` becomes `ubertrag`. Punctuation stays. */
export function smallLetters(text: string): string {
  return normal(text, 'NFKD').toLowerCase().replace(/\p{M}/gu, '');
}

/**
 * Gives a text from outside one spelling. Unicode's own normalization takes quadratic time for a run of combining marks, so of a run longer
 * than {@link MOST_MARKS} the rest is left out.
 */
export function normal(text: string, form: 'NFC' | 'NFKD' = 'NFC'): string {
  return (MARKS.test(text) ? text.replace(MARK_RUNS, '$1') : text).normalize(form);
}

/** As many as any script needs, and some more: UAX 15, Stream-Safe Text Format. */
export const MOST_MARKS = 30;

export const MARKS = /\p{M}{31}/u;
const MARK_RUNS = /(\p{M}{30})\p{M}+/gu;

/** The letters and digits of a text, with one space for anything between them. */
export function plainWordsOf(text: string): string {
  return text.replace(/[^\p{L}\p{N}]+/gu, ' ').trim();
}

/** How many letters must be inserted, deleted or replaced to turn one text into the other (Levenshtein distance). */
export function lettersApart(one: string, other: string): number {
  let above = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (const [row, letter] of [...one].entries()) {
    const here = [row + 1];
    for (let column = 1; column <= other.length; column += 1) {
      const replaced = (above[column - 1] ?? 0) + (letter === other[column - 1] ? 0 : 1);
      here.push(Math.min((above[column] ?? 0) + 1, (here[column - 1] ?? 0) + 1, replaced));
    }
    above = here;
  }
  return above.at(-1) ?? 0;
}
