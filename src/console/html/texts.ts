import { counted, grouped } from '../../counted.ts';

/** Looks up an English text of the pages and answers it in their language. Without a catalogue the pages are English. */
export type Catalogue = (message: string) => string;

let catalogue: Catalogue | undefined;
let isRead = false;

/**
 * Sets the language of all pages of this process. Call this before the console is imported, since its modules translate their
 * constants when they are imported.
 *
 * @throws Error where a text was already read
 */
export function speak(language: Catalogue): void {
  if (isRead)
    throw new Error('A text was read before its language was set: call speak before the console is imported.');
  catalogue = language;
}

/** A text of a page in its language. The English text is the key, with `{0}`, `{1}` for its values: t`Line ${line} of ${file}`. */
export function t(strings: TemplateStringsArray, ...values: readonly unknown[]): string {
  if (language()) return filled(messageWithPlaces(strings), values);
  // English texts are joined here, since `String.raw` takes seven times as long and every page has many texts.
  let text = strings[0] ?? '';
  for (let place = 0; place < values.length; place += 1) text += `${values[place]}${strings[place + 1]}`;
  return text;
}

/** A count with its noun in the language of the pages: `1 row`, `3 rows`. The catalogue has the messages `{0} row` and `{0} rows`. */
export function countWords(count: number, one: string, many = `${one}s`): string {
  return language() ? filled(`{0} ${count === 1 ? one : many}`, [grouped(count)]) : counted(count, one, many);
}

/** A word in the language of the pages, for words that other parts than the console define, such as the names of outcomes. */
export function translated(message: string): string {
  return language()?.(message) ?? message;
}

/** The key of a text in the catalogue: its pieces with `{0}`, `{1}` in the places of the values between them. */
export function messageWithPlaces(pieces: readonly string[]): string {
  return pieces.reduce((before, after, place) => `${before}{${place - 1}}${after}`);
}

/** The language of the pages; undefined for English. */
export function language(): Catalogue | undefined {
  isRead = true;
  return catalogue;
}

function filled(message: string, values: readonly unknown[]): string {
  const words = language()?.(message) ?? message;
  return words.replace(PLACE, (place, number) => String(values[number] ?? place));
}

const PLACE = /\{(\d+)\}/g;
