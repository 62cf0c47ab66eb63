import { wholeCharacters } from '../../files/text.ts';

/** An event as it arrived: its bytes, the headers that came with them, and whether it is to be read for decisions. */
export type NewEvent = { body: Buffer; headers: Readonly<Record<string, string | string[]>>; isToBeRead?: boolean };

/** The possible results of a decision that an event states, and of an event that states none. The words follow a number: `2 taken`. */
export const EVENT_BECAME = {
  taken: 'taken',
  same: 'known already',
  older: 'older than what is known',
  contradicts: 'unlike another of the same time',
  unknown: 'of a limit that is not known here',
  ambiguous: 'of an id with which several requests were answered',
  'not made': 'of a limit that does not count for its request',
  damaged: 'of a limit whose record cannot be read',
  mistyped: 'of a status that may be mistyped',
  foreign: 'of an amount in another currency than its request',
  'other kind': 'of a kind that does not count',
  unreadable: 'not readable by the mapping that is set',
} as const;
export type EventBecame = Readonly<Partial<Record<keyof typeof EVENT_BECAME, number>>>;

/** Whether a person has to read why some of an event's decisions were not taken: only the event itself tells. */
export function hasWhys({ unreadable, mistyped, foreign }: EventBecame): boolean {
  return [unreadable, mistyped, foreign].some((count) => count);
}

/**
 * An event's results in words: `2 taken, 1 of a limit that is not known here`; '' if nothing was read. `isTried`: nothing was changed, so
 * the words say `would be taken`.
 */
export function becameWords(became: EventBecame, isTried = false): string {
  const names = Object.keys(EVENT_BECAME) as (keyof typeof EVENT_BECAME)[];
  return names
    .flatMap((name) =>
      became[name] ? [`${became[name]} ${isTried && name === 'taken' ? WOULD_BE_TAKEN : EVENT_BECAME[name]}`] : [],
    )
    .join(', ');
}

/** The words in place of `taken` for a decision that was only tried. */
export const WOULD_BE_TAKEN = 'would be taken';

/** The outcome of keeping an event: see {@link import('./keep-events.ts').makeKeepEvents}. */
export type KeepAnswer = 'kept' | 'known' | 'full';

/** A kept event without its content. Times are ms of Redis' clock. */
export type KeptEvent = {
  /** Id of the event, which identifies its content: the first 22 characters of the body's SHA-256, base64url. */
  id: string;
  firstMs: number;
  /** When the same content last came; equal to `firstMs` if it came once. */
  lastMs: number;
  /** How often the same content came. */
  times: number;
  sizeBytes: number;
  /** Possible ids in the event's body (event-ids.ts), and the number of further ones. */
  ids: string[];
  moreIds: number;
  /**
   * The results of the event's decisions when it was last read for them, by number. A decision that was once `taken` stays counted so.
   * Undefined if the event was not read.
   */
  became?: EventBecame;
};

export type RawEvent = KeptEvent & { body: Buffer; headers: Record<string, string | string[]> };

/** Totals of the kept events. `full` counts rejected ones, and `fullMs` is when the last of them came. */
export type EventTotals = { events: number; bytes: number; full: number; fullMs: number | undefined };

/** A body for display: `isText` if it is UTF-8, `isCut` if `text` is only its beginning. */
export type ShownBody = { text: string; isText: boolean; isCut: boolean };

const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text of a body, if its bytes are UTF-8; else undefined. Pure. */
export function utf8Text(body: Buffer): string | undefined {
  try {
    return UTF_8.decode(body);
  } catch {
    return undefined;
  }
}

/** Matches characters that a screen hides or obeys: controls except line ends and tabs, direction marks, and the like. */
const UNSEEN = /[^\P{C}\n\t]|[\p{Zl}\p{Zp}]/gu;

/**
 * The beginning of a body for display: its text if it is UTF-8, with invisible characters escaped (`\u{202e}`); else ASCII, with each other
 * byte as `\xff`. Pure.
 */
export function shownBody(body: Buffer, mostBytes: number): ShownBody {
  const isCut = body.length > mostBytes;
  const text = utf8Text(isCut ? wholeCharacters(body.subarray(0, mostBytes)) : body);
  if (text !== undefined) return { text: visibleText(text), isText: true, isCut };
  const bytes = body.subarray(0, mostBytes).toString('latin1');
  const escaped = bytes.replace(/[^\x20-\x7e\n\t]/g, (one) => `\\x${one.charCodeAt(0).toString(16).padStart(2, '0')}`);
  return { text: escaped, isText: false, isCut };
}

/** A text with invisible characters escaped. Pure. */
export function visibleText(text: string): string {
  return text.replace(UNSEEN, (one) => `\\u{${one.codePointAt(0)?.toString(16)}}`);
}

/** A size for people, in steps of 1,024: `812 bytes`, `1.2 kB`, `3.4 MB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1_024) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  const isKb = bytes < 1_048_576;
  const value = bytes / (isKb ? 1_024 : 1_048_576);
  return `${value < 10 ? Number(value.toFixed(1)) : Math.round(value)} ${isKb ? 'kB' : 'MB'}`;
}
