import { wholeCharacters } from '../../files/whole-characters.ts';

/** A body as somebody looks at it: `isText` where it is UTF-8, `isCut` where there is more of it. */
export type ShownBody = { text: string; isText: boolean; isCut: boolean };

const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** What a body says, where its bytes are UTF-8; else nothing. Pure. */
export function utf8Text(body: Buffer): string | undefined {
  try {
    return UTF_8.decode(body);
  } catch {
    return undefined;
  }
}

/** What a screen would not show, or would obey: controls but line ends and tabs, marks of direction, and the like. */
const UNSEEN = /[^\P{C}\n\t]|[\p{Zl}\p{Zp}]/gu;

/**
 * The first bytes of a body as somebody may look at them: its text where it is UTF-8, with what could not be seen escaped (`\u{202e}`);
 * else ASCII, with each other byte as `\xff`. Pure.
 */
export function shownBody(body: Buffer, mostBytes: number): ShownBody {
  const isCut = body.length > mostBytes;
  const text = utf8Text(isCut ? wholeCharacters(body.subarray(0, mostBytes)) : body);
  if (text !== undefined) return { text: visibleText(text), isText: true, isCut };
  const bytes = body.subarray(0, mostBytes).toString('latin1');
  const escaped = bytes.replace(/[^\x20-\x7e\n\t]/g, (one) => `\\x${one.charCodeAt(0).toString(16).padStart(2, '0')}`);
  return { text: escaped, isText: false, isCut };
}

/** A text with whatever could not be seen escaped. Pure. */
export function visibleText(text: string): string {
  return text.replace(UNSEEN, (one) => `\\u{${one.codePointAt(0)?.toString(16)}}`);
}

/** `812 bytes`, `1.2 kB`, `3.4 MB`: in steps of 1,024. */
export function sizeText(bytes: number): string {
  if (bytes < 1_024) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  const isKb = bytes < 1_048_576;
  const value = bytes / (isKb ? 1_024 : 1_048_576);
  return `${value < 10 ? Number(value.toFixed(1)) : Math.round(value)} ${isKb ? 'kB' : 'MB'}`;
}
