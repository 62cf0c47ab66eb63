/**
 * A copy of a text, for keeping. V8 keeps a substring, such as a cell, together with the whole text that it was cut
 * from. Invalid Unicode becomes U+FFFD.
 */
export function ownText(text: string): string {
  return Buffer.from(text).toString();
}
