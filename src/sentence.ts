export function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** Makes a sentence of a phrase: a capital letter and a full stop. An address keeps its first letter. */
export function sentence(words: string): string {
  return `${/^https?:/.test(words) ? words : capitalized(words)}.`;
}
