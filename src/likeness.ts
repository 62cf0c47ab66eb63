/**
 * The form of a name in which one compares it with others: without case, accents and signs, so that `Straße`, `STRASSE` and
 * `strasse` are alike. '' where nothing is left.
 */
export function likeness(name: string): string {
  // A header may have hundreds of thousands of columns without a name.
  return name === '' ? '' : wordsOf(smallLetters(name).replaceAll('ß', 'ss'));
}

/** The text in small letters without accents: `Übertrag` becomes `ubertrag`. Signs stay as they are. */
export function smallLetters(text: string): string {
  return text.normalize('NFKD').toLowerCase().replace(/\p{M}/gu, '');
}

/** The letters and digits of a text, with one space for whatever stands between them. */
export function wordsOf(text: string): string {
  return text.replace(/[^\p{L}\p{N}]+/gu, ' ').trim();
}

/** How many letters have to be put in, taken out or replaced to make one text of the other (Levenshtein's distance). */
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
