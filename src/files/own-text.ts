/**
 * A copy of a text, fit to be kept: V8 keeps a text that was cut out of a larger one, such as a cell out of a piece of a file,
 * together with all of the larger one. What is no text of Unicode becomes U+FFFD.
 */
export function ownText(text: string): string {
  return Buffer.from(text).toString();
}
