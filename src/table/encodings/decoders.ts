import iconv from 'iconv-lite';
import { type Decoder, makeUtf8Decoder, markByte } from './utf8.ts';

/**
 * Builds a decoder for any encoding of `encodingNamed`, with the guarantee of {@link makeUtf8Decoder}: an undecodable
 * byte becomes a lone surrogate for that byte, and the text around it stays intact. A byte order mark is skipped.
 */
export function makeDecoder(encoding: string): Decoder {
  if (encoding === 'utf-8') return makeUtf8Decoder();
  if (encoding === 'utf-16le' || encoding === 'utf-16be') return makeWideDecoder(encoding === 'utf-16be');
  const singles = singleBytes(encoding);
  return singles ? makeSingleByteDecoder(singles) : makeMultiByteDecoder(encoding);
}

/** Makes the decoder for UTF-16. Lone surrogates mark damage, so a damaged pair in the file is marked by its own lone half. */
function makeWideDecoder(bigEndian: boolean): Decoder {
  let rest: Buffer = Buffer.alloc(0);
  let atStart = true;
  return {
    decode(bytes) {
      const all = Buffer.concat([rest, bytes]);
      const whole = all.subarray(0, all.length - (all.length % 2));
      rest = all.subarray(whole.length);
      const text = (bigEndian ? whole.swap16() : whole).toString('utf16le');
      if (text === '' || !atStart) return text;
      atStart = false;
      return text.startsWith('\ufeff') ? text.slice(1) : text;
    },
    // An incomplete unit at the end becomes a lone surrogate. It forms no pair with the character before it.
    end: () => (rest.length > 0 ? '\ud800' : ''),
  };
}

/** The characters for the bytes 0x80 to 0xFF, undefined ones marked as damage; null for multi-byte encodings. */
function singleBytes(encoding: string): string[] | null {
  const characters = charactersOf(encoding);
  if (!characters) return null;
  return characters.map((character, place) => {
    // An undefined byte decodes to U+FFFD, or to the control character of the same number.
    const isMeant = character !== '\ufffd' && character.charCodeAt(0) !== place + 0x80;
    return isMeant || (place >= 0x20 && character !== '\ufffd') ? character : markByte(place + 0x80);
  });
}

function makeSingleByteDecoder(characters: string[]): Decoder {
  // Node's Latin-1 decoder is many times faster. Only characters that differ from Latin-1 are replaced afterwards.
  const special = characters.flatMap((character, place) =>
    character === String.fromCharCode(place + 0x80) ? [] : [`\\x${(place + 0x80).toString(16)}`],
  );
  const pattern = new RegExp(`[${special.join('')}]`, 'g');
  const isSpecial = new RegExp(pattern, '');
  return {
    decode(bytes) {
      const text = bytes.toString('latin1');
      if (special.length === 0 || !isSpecial.test(text)) return text;
      return text.replace(pattern, (one) => characters[one.charCodeAt(0) - 0x80] ?? one);
    },
    end: () => '',
  };
}

const LF = 0x0a;

/** Most bytes that a character takes in any encoding (GB18030). */
const MAX_CHARACTER_BYTES = 4;

function makeMultiByteDecoder(encoding: string): Decoder {
  let rest: Buffer = Buffer.alloc(0);

  /** The decoded text; null if some bytes are no characters. */
  function sound(bytes: Uint8Array): string | null {
    try {
      return new TextDecoder(encoding, { fatal: true }).decode(bytes);
    } catch {
      return null;
    }
  }

  return {
    decode(bytes) {
      const all = Buffer.concat([rest, bytes]);
      // Except in UTF-16, which has a decoder of its own, no character contains the byte of a line feed. So lines can be decoded
      // separately.
      const lineEnd = all.lastIndexOf(LF) + 1;
      const ends =
        lineEnd > 0 ? [lineEnd] : Array.from({ length: MAX_CHARACTER_BYTES }, (_none, back) => all.length - back);
      for (const end of ends) {
        const text = sound(all.subarray(0, end));
        if (text === null) continue;
        rest = Buffer.from(all.subarray(end));
        return text;
      }
      const end = lineEnd > 0 ? lineEnd : all.length;
      rest = Buffer.from(all.subarray(end));
      return decodeLines(all.subarray(0, end), encoding, sound);
    },
    end: () => sound(rest) ?? decodeDamaged(rest, encoding),
  };
}

/** Decodes line by line, so that only damaged lines take the slow path. */
function decodeLines(bytes: Buffer, encoding: string, sound: (bytes: Uint8Array) => string | null): string {
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const lf = bytes.indexOf(LF, at);
    const end = lf === -1 ? bytes.length : lf + 1;
    const line = bytes.subarray(at, end);
    text += sound(line) ?? decodeDamaged(line, encoding);
    at = end;
  }
  return text;
}

/** Decodes byte by byte. The bytes of an incomplete character are marked, and decoding continues after them. */
function decodeDamaged(bytes: Uint8Array, encoding: string): string {
  let text = '';
  let decoder = new TextDecoder(encoding, { fatal: true });
  let pending: number[] = [];
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    try {
      const one = decoder.decode(Uint8Array.of(byte), { stream: true });
      pending = one === '' ? [...pending, byte] : [];
      text += one;
    } catch {
      decoder = new TextDecoder(encoding, { fatal: true });
      // The byte that did not fit is decoded again by itself: it may be valid, such as a line break after half a character.
      if (pending.length > 0) at -= 1;
      text += (pending.length > 0 ? pending : [byte]).map(markByte).join('');
      pending = [];
    }
  }
  return text + pending.map(markByte).join('');
}

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
