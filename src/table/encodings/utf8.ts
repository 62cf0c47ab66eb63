import { isUtf8 } from 'node:buffer';
import { wholeCharacters } from '../../files/whole-characters.ts';
import { markByte } from './damage.ts';

/** Turns chunks of bytes into text; a character may begin in one chunk and end in the next. */
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
