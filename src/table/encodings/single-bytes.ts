import { codePageCharacters, codePageNamed } from './code-pages.ts';

/** The characters for the bytes 0x80 to 0xFF, with U+FFFD for undefined ones; null for multi-byte encodings. */
export function charactersOf(encoding: string): string[] | null {
  if (codePageNamed(encoding) === encoding) return codePageCharacters(encoding);
  if (MULTI_BYTE.test(encoding)) return null;
  const decoder = new TextDecoder(encoding);
  return Array.from({ length: 128 }, (_none, place) => decoder.decode(Uint8Array.of(place + 0x80)));
}

/** Encoding Standard, sections 8 and 10 to 14. */
const MULTI_BYTE = /^(utf-|gb|big5|euc-|iso-2022|shift_jis)/;
