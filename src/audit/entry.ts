import { createHmac, createSecretKey, hkdfSync } from 'node:crypto';
import { cutText } from '../cut-text.ts';
import type { AuditNote } from './audit.ts';

/** An action has two entries: `begun` says what is to be done, `done` or `failed` its outcome. */
type EntryPhase = 'begun' | 'done' | 'failed';

/** One entry of the trail, as read. */
export type AuditEntry = EntryDraft & {
  /** The entry's number in the trail, from 1. Numbers have a gap only where a trail was found set back. */
  number: number;
  /** The time by Redis' clock, in ms; never before the time of the previous entry, unless that was more than an hour ahead of the clock. */
  atMs: number;
  /** The account of the process that wrote it; all accounts of an installation share the trail. */
  account: string;
  /** The link of the previous entry; of the first one, `Chain.genesis`. */
  prev: string;
};

/** An entry before it is written. */
export type EntryDraft = AuditNote & {
  is?: EntryPhase;
  /** In an entry on an action's outcome: the number of the entry that says the action had begun. */
  of?: number;
};

/** A stored entry: its exact text, and its link, an HMAC over that text. */
export type KeptEntry = { text: string; link: string };

/**
 * Most characters of a text field of an entry; more are cut off. Readable names and addresses are shorter, but a name tried at sign-in may
 * be anything.
 */
const MOST_CHARACTERS = 200;

/** Cuts the fields and facts of a draft to their limits. It is called once for each draft, and not again if the entry is made anew. */
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

/**
 * Splits a draft that names more portfolios than fit into one entry's facts, so that a search by any of them finds a part. The first part
 * has all other facts, and is the entry to which the entry on the outcome refers.
 */
export function inParts(draft: EntryDraft): EntryDraft[] {
  const { facts, is: _is, ...said } = draft;
  const names = facts?.portfolios;
  if (typeof names !== 'string' || isShort(JSON.stringify(facts, withoutSecrets))) return [draft];
  const pieces: string[] = [];
  for (const name of names.split(', ')) {
    const last = pieces.pop();
    const longer = last === undefined ? name : `${last}, ${name}`;
    // The first part also has the other facts. If those are too long, each text is cut to CUT_TEXT, so its portfolios must not be longer
    // than that.
    const fits =
      pieces.length === 0
        ? longer.length <= CUT_TEXT
        : isShort(JSON.stringify({ portfolios: longer, part: pieces.length + 1 }));
    pieces.push(...(last === undefined || fits ? [longer] : [last, name]));
  }
  return pieces.map((portfolios, at) =>
    at === 0
      ? { ...draft, facts: { ...facts, portfolios } }
      : { ...said, about: portfolios, facts: { portfolios, part: at + 1 } },
  );
}

/** The text of an entry: JSON on one line, fields in this order. The link covers it, so it is stored exactly. */
export function entryText(
  { by, what, from, about, is, of, facts }: EntryDraft,
  { number, atMs, account, prev }: Pick<AuditEntry, 'number' | 'atMs' | 'account' | 'prev'>,
): string {
  return JSON.stringify({ number, atMs, account, by, what, from, about, is, of, facts, prev });
}

/** Reads an entry's text; undefined if it is not one. It does not check whether the entry is genuine: only the link shows that. */
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

/** Reads a line of an export as an entry; undefined if the line is not one. */
export function readExportLine(line: string): KeptEntry | undefined {
  const [, before, link] = LINE.exec(line) ?? [];
  return before === undefined || link === undefined ? undefined : { text: `${before}}`, link };
}

/** The action (`what`) of an export, whose first entry stands in the exported file itself, since it is written before. */
export const EXPORTED = 'audit trail exported';

/** Actor and origin of the entries that the trail writes by itself, such as that on a change of its key. */
export const NOBODY = 'limitline';
export const THE_TRAIL = 'the trail itself';

/** The action (`what`) of the entry that is appended before older entries are deleted. Its facts are {@link CheckpointFacts}. */
export const CHECKPOINT = 'audit trail cut';

/** The facts of a checkpoint: number and link of the last deleted entry, and how many entries are deleted. */
export type CheckpointFacts = { upTo: number; link: string; count: number };

/**
 * The action (`what`) of the entry that is written when a trail is shorter than a host remembers, or has another entry in the place of the
 * remembered one.
 */
export const SET_BACK = 'audit trail found set back';

/** The action (`what`) of the first entry after a change of the key. Earlier entries cannot be checked with the new key. */
export const OTHER_KEY = 'audit trail goes on with another key';

type Facts = Readonly<Record<string, unknown>>;

/** Most bytes of an entry's facts, as JSON; a plan with its counts takes a tenth. */
const MOST_BYTES = 8_000;

/** Characters that are kept of each text in an entry's facts if these are longer than {@link MOST_BYTES}. */
const CUT_TEXT = 200;

/** Names whose values are left out of an entry's facts, whoever added them. */
const SECRET_NAMES = /password|secret|token|recovery|otp|cookie|authorization/i;

/** The facts as JSON, without possible secrets; if too long, texts are cut, and `cut` is set. */
export function boundedFacts(facts: Facts): Facts {
  const whole = JSON.stringify(facts, withoutSecrets) ?? '{}';
  if (isShort(whole)) return JSON.parse(whole);
  const cut = JSON.stringify(JSON.parse(whole), (_name, value) =>
    typeof value === 'string' ? cutText(value, CUT_TEXT) : value,
  );
  if (isShort(cut)) return { ...JSON.parse(cut), cut: true };
  // The text is cut to half the bytes at first: it is JSON already, and as a text in JSON its quotation marks are escaped once more.
  let text = cutText(cut, MOST_BYTES / 2);
  while (!isShort(JSON.stringify(text))) text = cutText(text, Math.floor(text.length * 0.7));
  return { text, cut: true };
}

export type Chain = ReturnType<typeof makeChain>;

/**
 * Links the entries of a trail: HMAC-SHA-256 (RFC 2104) over an entry's text, which contains the link of the entry before. Without the key
 * any change, addition or move of entries is detected.
 *
 * @param key 32 bytes, kept outside Redis: `secret.key('audit')` of the installation
 */
export function makeChain(key: Uint8Array) {
  const secret = createSecretKey(key);
  const macOf = (text: string) => createHmac('sha256', secret).update(text).digest('base64url');
  return {
    /** The link of an entry's text: 43 characters of base64url. */
    link: macOf,
    /** The text that the first entry has in the place of the previous entry's link. */
    genesis: macOf('limitline: no entry of the audit trail'),
    /** A digest that identifies the key without showing it, to tell a wrong key from a changed trail. */
    mark: Buffer.from(hkdfSync('sha256', key, '', 'limitline: the mark of this key', 6)).toString('hex'),
  };
}

/** A text of at most `most` characters, with `…` at its end if it was cut. */
function withoutSecrets(name: string, value: unknown): unknown {
  if (SECRET_NAMES.test(name) && value !== null && typeof value !== 'boolean') return '(left out)';
  if (typeof value === 'bigint') return String(value);
  return value;
}

const isShort = (json: string): boolean => Buffer.byteLength(json) <= MOST_BYTES - ',"cut":true'.length;
