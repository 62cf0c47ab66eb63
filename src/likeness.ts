/**
 * The form of a name for comparison: without case, accents and punctuation, so that `Straße`, `STRASSE` and `strasse` are equal. '' if
 * nothing is left.
 */
export function likeness(name: string): string {
  // Quick for empty names, since a header may have hundreds of thousands of columns without a name.
  return name === '' ? '' : plainWordsOf(smallLetters(name.slice(0, LONGEST)).replaceAll('ß', 'ss'));
}

/** Most characters compared: a header's cell may have a megabyte, and one character may decompose into eighteen. */
const LONGEST = 1_000;

/** The text in lower case without accents: `Übertrag` becomes `ubertrag`. Punctuation stays. */
export function smallLetters(text: string): string {
  return normal(text, 'NFKD').toLowerCase().replace(/\p{M}/gu, '');
}

/**
 * Normalizes a text of unknown origin. Unicode normalization takes quadratic time in a run of combining marks, so only the first
 * {@link MOST_MARKS} marks of a run are kept.
 */
export function normal(text: string, form: 'NFC' | 'NFKD' = 'NFC'): string {
  return (MARKS.test(text) ? text.replace(MARK_RUNS, '$1') : text).normalize(form);
}

/** Combining marks kept of a run, more than any writing system needs: UAX 15, Stream-Safe Text Format. */
export const MOST_MARKS = 30;

export const MARKS = /\p{M}{31}/u;
const MARK_RUNS = /(\p{M}{30})\p{M}+/gu;

/** The letters and digits of a text, with one space for anything between. */
export function plainWordsOf(text: string): string {
  return text.replace(/[^\p{L}\p{N}]+/gu, ' ').trim();
}

/** Number of letters to insert, remove or replace to turn one text into the other (Levenshtein distance). */
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
