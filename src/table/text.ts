import { isUtf8 } from 'node:buffer';
import { wholeCharacters } from '../files/whole-characters.ts';

/** Turns chunks of bytes into text; a character may be cut by the end of a chunk. */
export type Decoder = {
  /** The text of these bytes and of what an earlier chunk left over. */
  decode(bytes: Buffer): string;
  /** The text of what is left over: never a whole character. */
  end(): string;
};

/**
 * A decoder of UTF-8 that loses nothing: a byte that is not UTF-8 becomes the lone surrogate U+DC00 + byte, which no
 * UTF-8 text can hold. So a U+FFFD that the file spells out stays apart from damage, the good lines around damage
 * stay good, and `isWellFormed()` tells a damaged text. A byte order mark at the start is passed over.
 */
export function makeUtf8Decoder(): Decoder {
  let rest: Buffer = Buffer.alloc(0);
  let atStart = true;
  return {
    decode(bytes) {
      const all = rest.length > 0 ? Buffer.concat([rest, bytes]) : bytes;
      const whole = wholeCharacters(all);
      rest = Buffer.from(all.subarray(whole.length));
      const text = isUtf8(whole) ? whole.toString('utf8') : decodeDamaged(whole);
      if (text === '' || !atStart) return text;
      atStart = false;
      return text.startsWith('\ufeff') ? text.slice(1) : text;
    },
    end() {
      return decodeDamaged(rest);
    },
  };
}

/** The lone surrogate that stands for a byte which is no character of its encoding. */
export function markByte(byte: number): string {
  return String.fromCharCode(0xdc00 + byte);
}

/**
 * Says in a sentence what a decoder could not decode, and for UTF-8 what the byte would be in Windows-1252, the encoding
 * that spreadsheets save without being asked; null for a text that is sound.
 */
export function describeDamage(text: string, encoding: string): string | null {
  if (text.isWellFormed()) return null;
  const code = (/\p{Surrogate}/u.exec(text)?.[0] ?? '').charCodeAt(0);
  const name = encoding.toUpperCase();
  if (encoding.startsWith('utf-16')) return `The cell holds half of a character in ${name}: type the cell again.`;
  const byte = (code & 0xff).toString(16).toUpperCase();
  if (encoding !== 'utf-8')
    return `The byte ${byte} in this cell is no character in ${name}: type the cell again, or name the right encoding with --encoding.`;
  const likely = new TextDecoder('windows-1252').decode(Uint8Array.of(code & 0xff));
  return `The byte ${byte} in this cell is not UTF-8 (it may be meant as ${likely}): save the file as CSV UTF-8.`;
}

const MULTI_BYTE =
  /[\xc2-\xdf][\x80-\xbf]|(?:\xe0[\xa0-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]|\xed[\x80-\x9f])[\x80-\xbf]|(?:\xf0[\x90-\xbf]|[\xf1-\xf3][\x80-\xbf]|\xf4[\x80-\x8f])[\x80-\xbf]{2}/;

/** One character of UTF-8 above ASCII, its bytes as Latin-1 (Unicode standard, table 3-7). */
export const UTF8_CHARACTER = new RegExp(MULTI_BYTE, 'g');

/** The same, else any one byte above ASCII. */
const CHARACTER_OR_BYTE = new RegExp(`${MULTI_BYTE.source}|[\\x80-\\xff]`, 'g');

function decodeDamaged(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replace(CHARACTER_OR_BYTE, (match) =>
      match.length > 1 ? Buffer.from(match, 'latin1').toString('utf8') : markByte(match.charCodeAt(0)),
    );
}
