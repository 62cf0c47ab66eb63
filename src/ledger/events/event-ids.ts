import { CALL_KINDS, KINDS } from '../../call-kind.ts';

/** What of an event may be an id: each once, and how many more there were than are indexed. */
export type EventIds = { ids: string[]; more: number };

/** Ids of one event that it can be found by: what somebody reads, and a script writes in less than a millisecond. */
export const MOST_IDS = 64;

/** So many more are told apart: those of a body as large as one may be by default, in some megabytes. */
const MOST_COUNTED = 50_000;

/** Longer ids are none that this service, or anybody, gives: what is longer is content. */
const LONGEST_ID = 128;

/** Shorter than this, and without a prefix that is known, it is a word, a number, or a part of one. */
const SHORTEST_ID = 6;

/** How much of a body is read again as what its escapes mean: what a body may be by default (EVENTS_MAX_KB). */
const UNESCAPED_BYTES = 256 * 1_024;

/** A prefix and one character is the shortest of these. */
const RUN = /[A-Za-z0-9_-]{4,}/g;

/** Moments are in every event, and name nothing: `2026-11-22T10` of one with colons, and one that is written without. */
const MOMENT = /^\d{4}-?\d\d-?\d\dT\d+Z?$/;

/**
 * What in a body may be an id of ours or of the service's, in the order in which it stands there, those with a known prefix first:
 * any run of letters, digits, `_` and `-` that has a letter and a digit. The events' shape is not shown (docs/service.md, "Events"),
 * so nothing is parsed: bytes are looked at as they are, whatever the encoding, and where there are escapes (JSON's, those of forms and
 * addresses) or NUL bytes (UTF-16 and 32) once more as what those mean. Pure, and linear in the length.
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
      // As a sentence has it, between dashes.
      const bare = run.replace(/^[-_]+|[-_]+$/g, '');
      if (bare.length < run.length) add(bare);
    }
  }
  const all = [...sure, ...others];
  return { ids: all.slice(0, MOST_IDS), more: beyond.size + Math.max(0, all.length - MOST_IDS) };
}

const PREFIXES = CALL_KINDS.map((kind) => KINDS[kind].prefix).filter((prefix) => prefix !== '');

/** Whether a text begins as the service's ids do, where that is shown. Pure. */
export function hasKnownPrefix(run: string): boolean {
  return PREFIXES.some((prefix) => run.startsWith(prefix) && run.length > prefix.length);
}

function isLikeAnId(run: string): boolean {
  return run.length >= SHORTEST_ID && /\d/.test(run) && /[A-Za-z]/.test(run) && !MOMENT.test(run);
}

/** A byte each character, so that whatever is not ASCII ends a run and nothing more. */
function readings(body: Buffer): string[] {
  const plain = body.toString('latin1');
  const begins = plain.slice(0, UNESCAPED_BYTES);
  if (!/[\0%\\]/.test(begins)) return [plain];
  return [plain, begins.length < plain.length ? withoutLastRun(unescaped(begins)) : unescaped(begins)];
}

/** A NUL byte beside two signs of an id is none of UTF-16 or 32, where one stands beside each sign: it ends a text. */
const END_OF_TEXT = /(?<=[\w-]{2})\0|\0(?=[\w-]{2})/g;

/** An escape of which the end was cut off. */
const CUT_ESCAPE = /(?:%[0-9A-Fa-f]?|\\(?:u[0-9A-Fa-f]{0,3})?)$/;

/** What escapes mean, as far as it may be a part of an id; whatever else they mean ends one. */
function unescaped(text: string): string {
  return text
    .replace(END_OF_TEXT, ' ')
    .replaceAll('\0', '')
    .replace(CUT_ESCAPE, '')
    .replace(/%([0-9A-Fa-f]{2})/g, (_all, hex: string) => characterOf(hex))
    .replace(/\\(?:u00([0-9A-Fa-f]{2})|u[0-9A-Fa-f]{4}|.)/g, (_all, hex?: string) => characterOf(hex));
}

/** Less the run in which a text was cut: the beginning of an id may be another one. */
function withoutLastRun(text: string): string {
  let end = text.length;
  while (end > 0 && /[\w-]/.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

function characterOf(hex: string | undefined): string {
  return hex === undefined ? ' ' : String.fromCharCode(Number.parseInt(hex, 16));
}

/** So many different ids are told apart: 10 MB, taken only as far as there are ids. */
export const MOST_TABLE_IDS = 262_144;

/**
 * Counts ids that are met over and over, and says of others whether they were: for a look at a million rows, which may take no time.
 * Nothing of an id is kept but 64 bits of a digest that is quick and not safe: chance makes no two of them one, somebody with intent
 * could.
 *
 * @param ids so many at the most
 */
export function makeIdTable(ids: number) {
  const size = 2 ** Math.ceil(Math.log2(Math.max(2, 2 * Math.min(ids, MOST_TABLE_IDS))));
  const [highs, lows, counts] = [new Int32Array(size), new Int32Array(size), new Uint32Array(size)];
  const lastMs = new Float64Array(size);
  let used = 0;

  /** Where an id stands, or would. */
  const slotOf = (id: string): number => {
    // Two of FNV-1a's 32 bits, with other beginnings and factors; the second one is stirred, since places go by its last bits.
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
    /** Counts an id. Answers its slot, or nothing where there is no room for another. */
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

    /** The slot of an id that was counted; nothing of any other. */
    find(id: string): number | undefined {
      if (id === '' || used === 0) return undefined;
      const slot = slotOf(id);
      return counts[slot] === 0 ? undefined : slot;
    },

    /** How often what stands in a slot was counted, and when last. */
    at: (slot: number) => ({ count: counts[slot] ?? 0, lastMs: lastMs[slot] ?? 0 }),

    size,
  };
}
