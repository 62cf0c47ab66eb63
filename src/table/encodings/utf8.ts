import { isUtf8 } from 'node:buffer';
import { wholeCharacters } from '../../files/text.ts';

/** Decodes chunks of bytes. A character may span two chunks. */
export type Decoder = ReturnType<typeof makeUtf8Decoder>;

/**
 * A lossless UTF-8 decoder: an invalid byte becomes the lone surrogate U+DC00 + byte, which UTF-8 text cannot have. So
 * damage differs from a U+FFFD of the file itself, the text around it stays intact, and `isWellFormed()` finds damaged
 * text. A byte order mark at the start is skipped.
 */
export function makeUtf8Decoder() {
  let rest: Buffer = Buffer.alloc(0);
  let atStart = true;
  return {
    /** The text of these bytes, and of those of the previous chunk that were no whole character. */
    decode(bytes: Buffer): string {
      const all = rest.length > 0 ? Buffer.concat([rest, bytes]) : bytes;
      const whole = wholeCharacters(all);
      rest = Buffer.from(all.subarray(whole.length));
      const text = isUtf8(whole) ? whole.toString('utf8') : decodeDamaged(whole);
      if (text === '' || !atStart) return text;
      atStart = false;
      return text.startsWith('\ufeff') ? text.slice(1) : text;
    },
    /** The text of the last bytes of the file, if they are no whole character. */
    end(): string {
      return decodeDamaged(rest);
    },
  };
}

const MULTI_BYTE =
  /[\xc2-\xdf][\x80-\xbf]|(?:\xe0[\xa0-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]|\xed[\x80-\x9f])[\x80-\xbf]|(?:\xf0[\x90-\xbf]|[\xf1-\xf3][\x80-\xbf]|\xf4[\x80-\x8f])[\x80-\xbf]{2}/;

/** A UTF-8 character above ASCII, with its bytes as Latin-1 (Unicode standard, table 3-7). */
export const UTF8_CHARACTER = new RegExp(MULTI_BYTE, 'g');

/** A lone surrogate that marks a byte which is no character in its encoding. */
export function markByte(byte: number): string {
  return String.fromCharCode(0xdc00 + byte);
}

/**
 * Describes what could not be decoded in a text. For UTF-8 it adds the byte's meaning in Windows-1252, which
 * spreadsheets use by default. null for a sound text.
 */
export function describeDamage(text: string, encoding: string): string | null {
  if (text.isWellFormed()) return null;
  const code = (/\p{Surrogate}/u.exec(text)?.[0] ?? '').charCodeAt(0);
  const name = encoding.toUpperCase();
  if (encoding.startsWith('utf-16')) return `The cell has half a character in ${name}: type the cell again.`;
  const byte = (code & 0xff).toString(16).toUpperCase();
  if (encoding !== 'utf-8')
    return `The byte ${byte} in this cell is no character in ${name}: type the cell again, or name the right encoding with --encoding.`;
  const likely = new TextDecoder('windows-1252').decode(Uint8Array.of(code & 0xff));
  return `The byte ${byte} in this cell is not UTF-8 (it may be meant as ${likely}): save the file as CSV UTF-8.`;
}

/** A UTF-8 character as in {@link UTF8_CHARACTER}, or any single byte above ASCII. */
const CHARACTER_OR_BYTE = new RegExp(`${MULTI_BYTE.source}|[\\x80-\\xff]`, 'g');

function decodeDamaged(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replace(CHARACTER_OR_BYTE, (match) =>
      match.length > 1 ? Buffer.from(match, 'latin1').toString('utf8') : markByte(match.charCodeAt(0)),
    );
}
