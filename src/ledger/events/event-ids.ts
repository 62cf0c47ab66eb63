import { CALL_KINDS, KINDS } from '../../call-kind.ts';

/** Possible ids in an event, each once, and the number of further ones that are not indexed. */
type EventIds = { ids: string[]; more: number };

/** Most ids indexed for one event: what a person reads, and a script writes in less than a millisecond. */
export const MOST_IDS = 64;

/** Most further ids that are counted. A body of the default maximum size has no more, and to count them takes some megabytes of memory. */
const MOST_COUNTED = 50_000;

/** The most characters of an id. A longer run of id characters is content: neither this service nor others give such ids. */
const LONGEST_ID = 128;

/** The fewest characters of an id without a known prefix. Shorter runs of id characters are words, numbers, or parts of them. */
const SHORTEST_ID = 6;

/** Bytes of a body that are searched a second time with escapes decoded: the default maximum of a body (EVENTS_MAX_KB). */
const UNESCAPED_BYTES = 256 * 1_024;

/** Runs of id characters; the shortest id is a prefix and one character. */
const RUN = /[A-Za-z0-9_-]{4,}/g;

/** Matches times, which are in every event and identify nothing: `2026-11-22T10` of a time with colons, or a time written without them. */
const MOMENT = /^\d{4}-?\d\d-?\d\dT\d+Z?$/;

/**
 * Finds possible ids in a body, ours or the service's: runs of letters, digits, `_` and `-` with a letter and a digit, those with a known
 * prefix first, in order of appearance. The format of events is unknown (docs/service.md, "Events"), so nothing is parsed: the bytes are
 * searched as they are in any encoding, and a second time decoded if there are escapes (of JSON, forms or URLs) or NUL bytes (of UTF-16
 * and 32). Pure, and linear in the length.
 */
export function idsIn(body: Buffer): EventIds {
  const sure = new Set<string>();
  const others = new Set<string>();
  const beyond = new Set<string>();
  const add = (id: string) => {
    const to = hasKnownPrefix(id) ? sure : isLikeAnId(id) ? others : undefined;
    if (!to || to.has(id)) return;
    if (to.size < MOST_IDS) to.add(id);
    else if (beyond.size < MOST_COUNTED) beyond.add(id);
  };
  for (const text of readings(body)) {
    for (const [run] of text.matchAll(RUN)) {
      if (run.length > LONGEST_ID) continue;
      add(run);
      // Dashes at the ends of an id may belong to the sentence around it, so they are cut off.
      const bare = run.replace(/^[-_]+|[-_]+$/g, '');
      if (bare.length < run.length) add(bare);
    }
  }
  const all = [...sure, ...others];
  return { ids: all.slice(0, MOST_IDS), more: beyond.size + Math.max(0, all.length - MOST_IDS) };
}

const PREFIXES = CALL_KINDS.map((kind) => KINDS[kind].prefix).filter((prefix) => prefix !== '');

/** Whether a text begins with a known prefix of the service's ids. Pure. */
export function hasKnownPrefix(run: string): boolean {
  return PREFIXES.some((prefix) => run.startsWith(prefix) && run.length > prefix.length);
}

function isLikeAnId(run: string): boolean {
  return run.length >= SHORTEST_ID && /\d/.test(run) && /[A-Za-z]/.test(run) && !MOMENT.test(run);
}

/** The texts to search, one character a byte: a character that is not ASCII only ends a run. */
function readings(body: Buffer): string[] {
  const plain = body.toString('latin1');
  const begins = plain.slice(0, UNESCAPED_BYTES);
  if (!/[\0%\\]/.test(begins)) return [plain];
  return [plain, begins.length < plain.length ? withoutLastRun(unescaped(begins)) : unescaped(begins)];
}

/**
 * Matches a NUL byte beside two id characters, which ends a text. In UTF-16 and UTF-32 no two id characters are side by side, since NUL
 * bytes separate them.
 */
const END_OF_TEXT = /(?<=[\w-]{2})\0|\0(?=[\w-]{2})/g;

/** Matches an escape that was cut off at the end of the searched text. */
const CUT_ESCAPE = /(?:%[0-9A-Fa-f]?|\\(?:u[0-9A-Fa-f]{0,3})?)$/;

/** Decodes escapes that can be part of an id; any other escape becomes a separator. */
function unescaped(text: string): string {
  return text
    .replace(END_OF_TEXT, ' ')
    .replaceAll('\0', '')
    .replace(CUT_ESCAPE, '')
    .replace(/%([0-9A-Fa-f]{2})/g, (_all, hex: string) => characterOf(hex))
    .replace(/\\(?:u00([0-9A-Fa-f]{2})|u[0-9A-Fa-f]{4}|.)/g, (_all, hex?: string) => characterOf(hex));
}

/** Drops the id characters at the end of a cut text, since the beginning of an id may be another id. */
function withoutLastRun(text: string): string {
  let end = text.length;
  while (end > 0 && /[\w-]/.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

function characterOf(hex: string | undefined): string {
  return hex === undefined ? ' ' : String.fromCharCode(Number.parseInt(hex, 16));
}

/** Most different ids in a table: 10 MB, allocated only as far as there are ids. */
export const MOST_TABLE_IDS = 262_144;

/**
 * Counts ids and finds them again, quickly enough for a million rows. It keeps only 64 bits of a fast, insecure digest of each id: two ids
 * do not collide by chance, but somebody could make them collide on purpose.
 *
 * @param ids most ids
 */
export function makeIdTable(ids: number) {
  const size = 2 ** Math.ceil(Math.log2(Math.max(2, 2 * Math.min(ids, MOST_TABLE_IDS))));
  const [highs, lows, counts] = [new Int32Array(size), new Int32Array(size), new Uint32Array(size)];
  const lastMs = new Float64Array(size);
  let used = 0;

  const slotOf = (id: string): number => {
    // Two 32-bit hashes like FNV-1a, with different seeds and factors. The second one is mixed, since its low bits choose the slot.
    let [high, low] = [0x811c9dc5 | 0, 0x01000193 ^ id.length];
    for (let at = 0; at < id.length; at += 1) {
      const code = id.charCodeAt(at);
      high = Math.imul(high ^ code, 0x01000193);
      low = Math.imul(low ^ code, 0x85ebca6b);
      low ^= low >>> 13;
    }
    let slot = low & (size - 1);
    while (counts[slot] !== 0 && (lows[slot] !== low || highs[slot] !== high)) slot = (slot + 1) & (size - 1);
    if (counts[slot] === 0) {
      highs[slot] = high;
      lows[slot] = low;
    }
    return slot;
  };

  return {
    /** Counts an id. Answers its slot, or undefined if the table is full. */
    add(id: string, atMs: number): number | undefined {
      const slot = slotOf(id);
      if (counts[slot] === 0) {
        if (2 * (used + 1) > size) return undefined;
        used += 1;
      }
      counts[slot] = (counts[slot] ?? 0) + 1;
      lastMs[slot] = Math.max(lastMs[slot] ?? 0, atMs);
      return slot;
    },

    /** The slot of a counted id; undefined for any other. */
    find(id: string): number | undefined {
      if (id === '' || used === 0) return undefined;
      const slot = slotOf(id);
      return counts[slot] === 0 ? undefined : slot;
    },

    /** How often the id of a slot was counted, and the latest time. */
    at: (slot: number) => ({ count: counts[slot] ?? 0, lastMs: lastMs[slot] ?? 0 }),

    size,
  };
}
