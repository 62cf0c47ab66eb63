import iconv from 'iconv-lite';

/**
 * The DOS code pages, which Node's TextDecoder does not support, each with its other labels (IANA, "Character Sets",
 * and Microsoft's numbers).
 */
const CODE_PAGES: Record<string, readonly string[]> = {
  cp437: ['437', 'ibm437', 'dos-us', 'oem-us', 'csPC8CodePage437'],
  cp737: ['737', 'ibm737'],
  cp775: ['775', 'ibm775'],
  cp850: ['850', 'ibm850', 'dos-latin-1', 'csPC850Multilingual'],
  cp852: ['852', 'ibm852', 'dos-latin-2', 'csPCp852'],
  cp857: ['857', 'ibm857'],
  cp858: ['858', 'ibm858', 'ibm00858', 'pc-multilingual-850+euro'],
  cp860: ['860', 'ibm860'],
  cp863: ['863', 'ibm863'],
  cp865: ['865', 'ibm865'],
};

/** The canonical name of a code page for any of its labels; null for other encodings. */
export function codePageNamed(label: string): string | null {
  const wanted = label.trim().toLowerCase();
  const found = Object.entries(CODE_PAGES).find(
    ([name, labels]) =>
      name === wanted ||
      name === `cp${wanted.replace(/^cp[-_ ]?/, '')}` ||
      labels.some((one) => one.toLowerCase() === wanted),
  );
  return found ? found[0] : null;
}

/** The characters for the bytes 0x80 to 0xFF, with U+FFFD for undefined ones; null for multi-byte encodings. */
export function charactersOf(encoding: string): string[] | null {
  if (codePageNamed(encoding) === encoding) return codePageCharacters(encoding);
  if (MULTI_BYTE.test(encoding)) return null;
  const decoder = new TextDecoder(encoding);
  return Array.from({ length: 128 }, (_none, place) => decoder.decode(Uint8Array.of(place + 0x80)));
}

/** A code page's characters for the bytes 0x80 to 0xFF; U+FFFD where a byte has none. */
function codePageCharacters(name: string): string[] {
  return [...iconv.decode(Buffer.from(Array.from({ length: 128 }, (_none, place) => place + 0x80)), name)];
}

/** Names of the encodings with more than one byte for a character (Encoding Standard, sections 8 and 10 to 14). */
const MULTI_BYTE = /^(utf-|gb|big5|euc-|iso-2022|shift_jis)/;
