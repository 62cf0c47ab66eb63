import type { AuditNote } from './audit.ts';
import { boundedFacts, cutText } from './bounded-facts.ts';

/** How an entry belongs to another: of what is done between two entries, the first says what is wished, the second what came of it. */
export type EntryPhase = 'begun' | 'done' | 'failed';

/** One entry of the trail, as it is read. */
export type AuditEntry = {
  /** From 1 on, without gaps. */
  number: number;
  /** By Redis' clock, in ms; not less than that of the entry before, unless that clock was an hour ahead. */
  atMs: number;
  /** The account of the process that wrote it: the trail is one for all accounts of an installation. */
  account: string;
  by: string;
  what: string;
  from: string;
  about?: string;
  is?: EntryPhase;
  /** Of what was done or failed: the number of the entry by which it was begun. */
  of?: number;
  facts?: Readonly<Record<string, unknown>>;
  /** The link of the entry before; of the first one, what the key says of no entry at all. */
  prev: string;
};

/** An entry that has no place in the trail yet. */
export type EntryDraft = AuditNote & { is?: EntryPhase; of?: number };

/** An entry as it is kept: its text to the byte, and the link over it. */
export type KeptEntry = { text: string; link: string };

/** Longer than any name or address that is meant to be read; what somebody tries to sign in with may be anything. */
const MOST_CHARACTERS = 200;

/** What a draft says, bounded once, however often its entry has to be written anew. */
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

/** The text of an entry: JSON on one line, its fields always in this order. It is what the link is made over, so it is kept to the byte. */
export function entryText(
  { by, what, from, about, is, of, facts }: EntryDraft,
  { number, atMs, account, prev }: Pick<AuditEntry, 'number' | 'atMs' | 'account' | 'prev'>,
): string {
  return JSON.stringify({ number, atMs, account, by, what, from, about, is, of, facts, prev });
}

/** What a text says, or nothing where it is not the text of an entry. Who wants to know whether it is ours looks at its link. */
export function readEntry(text: string): AuditEntry | undefined {
  try {
    const entry = JSON.parse(text) as AuditEntry | null;
    return Number.isSafeInteger(entry?.number) && typeof entry?.prev === 'string' ? entry : undefined;
  } catch {
    return undefined;
  }
}

/** What an export has between an entry's text and its link. A link is 43 characters of base64url (RFC 4648, section 5). */
const LINE = /^(\{.*),"link":"([\w-]{43})"\}$/s;

/** An entry as a line of an export: its text, in which its link is one field more, at the end. */
export function exportLine({ text, link }: KeptEntry): string {
  return `${text.slice(0, -1)},"link":"${link}"}`;
}

/** The entry of a line of an export; nothing where it is none. */
export function readExportLine(line: string): KeptEntry | undefined {
  const [, before, link] = LINE.exec(line) ?? [];
  return before === undefined || link === undefined ? undefined : { text: `${before}}`, link };
}
