import type { AuditNote } from './audit.ts';
import { boundedFacts, cutText } from './bounded-facts.ts';

/** An action has two entries: `begun` says what is to be done, `done` or `failed` its outcome. */
type EntryPhase = 'begun' | 'done' | 'failed';

/** One entry of the trail, as read. */
export type AuditEntry = {
  /** From 1, without gaps. */
  number: number;
  /** By Redis' clock, in ms; never before the previous entry, unless that one's clock was an hour ahead. */
  atMs: number;
  /** The account of the process that wrote it; all accounts of an installation share the trail. */
  account: string;
  by: string;
  what: string;
  from: string;
  about?: string;
  is?: EntryPhase;
  /** For an outcome: the number of the entry `begun`. */
  of?: number;
  facts?: Readonly<Record<string, unknown>>;
  /** The link of the previous entry; of the first one, `Chain.genesis`. */
  prev: string;
};

/** An entry before it is written. */
export type EntryDraft = AuditNote & { is?: EntryPhase; of?: number };

/** A stored entry: its exact text, and the link over it. */
export type KeptEntry = { text: string; link: string };

/** Most characters of a field: longer than readable names and addresses; a name tried at sign-in may be anything. */
const MOST_CHARACTERS = 200;

/** Limits the sizes of a draft, once, however often its entry is made anew. */
export function boundedDraft({ by, what, from, about, is, of, facts }: EntryDraft): EntryDraft {
  return {
    by: cutText(by, MOST_CHARACTERS),
    what: cutText(what, MOST_CHARACTERS),
    from: cutText(from, MOST_CHARACTERS),
    ...(about === undefined ? {} : { about: cutText(about, MOST_CHARACTERS) }),
    ...(is === undefined ? {} : { is }),
    ...(of === undefined ? {} : { of }),
    ...(facts === undefined ? {} : { facts: boundedFacts(facts) }),
  };
}

/** The text of an entry: JSON on one line, fields in this order. The link covers it, so it is stored exactly. */
export function entryText(
  { by, what, from, about, is, of, facts }: EntryDraft,
  { number, atMs, account, prev }: Pick<AuditEntry, 'number' | 'atMs' | 'account' | 'prev'>,
): string {
  return JSON.stringify({ number, atMs, account, by, what, from, about, is, of, facts, prev });
}

/** Reads an entry's text; undefined if it is none. Only the link tells whether it is genuine. */
export function readEntry(text: string): AuditEntry | undefined {
  try {
    const entry = JSON.parse(text) as AuditEntry | null;
    return Number.isSafeInteger(entry?.number) && typeof entry?.prev === 'string' ? entry : undefined;
  } catch {
    return undefined;
  }
}

/** The form of an export's line: an entry's text with its link, 43 characters of base64url (RFC 4648, section 5). */
const LINE = /^(\{.*),"link":"([\w-]{43})"\}$/s;

/** An entry as a line of an export: its text, with the link as the last field. */
export function exportLine({ text, link }: KeptEntry): string {
  return `${text.slice(0, -1)},"link":"${link}"}`;
}

/** Reads a line of an export; undefined if it is none. */
export function readExportLine(line: string): KeptEntry | undefined {
  const [, before, link] = LINE.exec(line) ?? [];
  return before === undefined || link === undefined ? undefined : { text: `${before}}`, link };
}
