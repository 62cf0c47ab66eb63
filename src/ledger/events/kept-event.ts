import { wholeCharacters } from '../../files/whole-characters.ts';

/** An event as it arrived, which is to be kept: its bytes, and the headers that came with them. */
export type NewEvent = { body: Buffer; headers: Readonly<Record<string, string | string[]>> };

/** What became of it: see {@link import('./keep-events.ts').makeKeepEvents}. */
export type KeepAnswer = 'kept' | 'known' | 'full';

/** What is known of an event that is kept, less its content. Times are ms of Redis' clock. */
export type KeptEvent = {
  /** Names its content: the first 22 characters of the body's SHA-256, base64url. */
  id: string;
  firstMs: number;
  /** When the same content came last; `firstMs` where it came once. */
  lastMs: number;
  /** How often it came. */
  times: number;
  /** Of the body. */
  sizeBytes: number;
  /** What in it may be an id (event-ids.ts), and how many more there were. */
  ids: string[];
  moreIds: number;
};

/** An event with its content, as it came. */
export type RawEvent = KeptEvent & { body: Buffer; headers: Record<string, string | string[]> };

/** What is kept altogether. `full` counts those that were not taken, and `fullMs` is when the last of them came. */
export type EventTotals = { events: number; bytes: number; full: number; fullMs: number | undefined };

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
