import type { AuditNote } from './audit.ts';
import { boundedFacts, cutText } from './bounded-facts.ts';

/**
 * Whether an entry records the start of an action, its success or its failure. An action has two entries: the first at its start, the
 * second at its end.
 */
export type EntryPhase = 'begun' | 'done' | 'failed';

/** An entry of the audit trail, after parsing. */
export type AuditEntry = {
  /** From 1, without gaps. */
  number: number;
  /** The time of Redis' clock, in ms. Never less than in the entry before, unless the clock was an hour ahead then. */
  atMs: number;
  /** The account of the process that wrote it. One trail serves all accounts of an installation. */
  account: string;
  by: string;
  what: string;
  from: string;
  about?: string;
  is?: EntryPhase;
  /** If the action ended: the number of the entry of its start. */
  of?: number;
  facts?: Readonly<Record<string, unknown>>;
  /** The link of the entry before. In the first entry, a link that is derived from the key alone. */
  prev: string;
};

/** An entry before it is written. */
export type EntryDraft = AuditNote & { is?: EntryPhase; of?: number };

/** An entry as it is stored: its exact text, and the link computed over it. */
export type KeptEntry = { text: string; link: string };

/** Longer than any real name or address. What a person types to sign in may be anything. */
const MOST_CHARACTERS = 200;

/** Cuts the texts of a draft. This is done once, even if its entry must be written several times. */
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

/** The text of an entry: JSON on one line, with the fields in this order. The link is computed over it, so it is stored exactly. */
export function entryText(
  { by, what, from, about, is, of, facts }: EntryDraft,
  { number, atMs, account, prev }: Pick<AuditEntry, 'number' | 'atMs' | 'account' | 'prev'>,
): string {
  return JSON.stringify({ number, atMs, account, by, what, from, about, is, of, facts, prev });
}

/** Parses an entry's text; undefined if it is not one. Only its link shows whether the entry is genuine. */
export function readEntry(text: string): AuditEntry | undefined {
  try {
    const entry = JSON.parse(text) as AuditEntry | null;
    return Number.isSafeInteger(entry?.number) && typeof entry?.prev === 'string' ? entry : undefined;
  } catch {
    return undefined;
  }
}

/** Separates an entry's text and its link in an export. A link has 43 characters of base64url (RFC 4648, section 5). */
const LINE = /^(\{.*),"link":"([\w-]{43})"\}$/s;

/** An entry as a line of an export: its JSON, with the link as the last field. */
export function exportLine({ text, link }: KeptEntry): string {
  return `${text.slice(0, -1)},"link":"${link}"}`;
}

/** Reads a line of an export; undefined if it is not an entry. */
export function readExportLine(line: string): KeptEntry | undefined {
  const [, before, link] = LINE.exec(line) ?? [];
  return before === undefined || link === undefined ? undefined : { text: `${before}}`, link };
}
