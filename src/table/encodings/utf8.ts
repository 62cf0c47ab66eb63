import { isUtf8 } from 'node:buffer';
import { wholeCharacters } from '../../files/whole-characters.ts';
import { markByte } from './damage.ts';

/** Decodes chunks of bytes. A character may span two chunks. */
export type Decoder = {
  /** The text of these bytes, after what the previous chunk left over. */
  decode(bytes: Buffer): string;
  /** The text of the bytes left over, which are no whole character. */
  end(): string;
};

/**
 * A lossless UTF-8 decoder: an invalid byte becomes the lone surrogate U+DC00 + byte, which UTF-8 text cannot have. So
 * damage differs from a U+FFFD of the file itself, the text around it stays intact, and `isWellFormed()` finds damaged
 * text. A byte order mark at the start is skipped.
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

const MULTI_BYTE =
  /[\xc2-\xdf][\x80-\xbf]|(?:\xe0[\xa0-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]|\xed[\x80-\x9f])[\x80-\xbf]|(?:\xf0[\x90-\xbf]|[\xf1-\xf3][\x80-\xbf]|\xf4[\x80-\x8f])[\x80-\xbf]{2}/;

/** A UTF-8 character above ASCII, with its bytes as Latin-1 (Unicode standard, table 3-7). */
export const UTF8_CHARACTER = new RegExp(MULTI_BYTE, 'g');

/** Such a character, or any single byte above ASCII. */
const CHARACTER_OR_BYTE = new RegExp(`${MULTI_BYTE.source}|[\\x80-\\xff]`, 'g');

function decodeDamaged(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replace(CHARACTER_OR_BYTE, (match) =>
      match.length > 1 ? Buffer.from(match, 'latin1').toString('utf8') : markByte(match.charCodeAt(0)),
    );
}
