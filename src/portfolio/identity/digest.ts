import { hash } from 'node:crypto';

/** The digest of a text: 96 bits of its SHA-256 as 16 characters of base64url. */
export function digestOf(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, DIGEST_LETTERS);
}

/** Letters of a digest as one number, 6 bits each; only the last 32 bits remain, as a signed number. */
export function lettersAsNumber(digest: string, from: number, to: number): number {
  let number = 0;
  for (let at = from; at < to; at += 1) number = (number << 6) | sixBits(digest, at);
  return number;
}

/** Writes a digest's 12 bytes at `start`. */
export function writeDigest(bytes: Uint8Array, digest: string, start: number): void {
  for (let [at, byte] = [0, start]; at < DIGEST_LETTERS; at += 4, byte += 3) {
    const three = lettersAsNumber(digest, at, at + 4);
    bytes[byte] = three >>> 16;
    bytes[byte + 1] = three >>> 8;
    bytes[byte + 2] = three;
  }
}

/** The length of a digest in bytes. */
export const DIGEST_BYTES = 12;

const DIGEST_LETTERS = 16;

const SIX_BITS = new Uint8Array(128);
for (const [value, letter] of [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'].entries()) {
  SIX_BITS[letter.charCodeAt(0)] = value;
}

/** The six bits of a letter of base64url: ten times faster than `Buffer.write`, and every line needs it several times. */
const sixBits = (digest: string, at: number): number => SIX_BITS[digest.charCodeAt(at)] ?? 0;

/** `bits`: how many bits of a digest are compared. `keepsValues`: false makes it a set. */
export type DigestTableOptions = { bits?: 53 | 68; keepsValues?: boolean };

/**
 * Numbers by digest (see `digestOf`), in the order in which they were added. In typed arrays, because a Map of a million texts takes four
 * times the memory. A slot takes 10 bytes; 4 less without values, 2 more with 68 bits. A million digests need some 1.8 million slots.
 *
 * Among a million digests, the chance of a false match is 6 in 100,000 with 53 bits, and 2 in 10^9 with 68.
 *
 * The table has parts that grow one by one. Growing the whole table at once would need its memory twice.
 */
export function makeDigestTable({ bits = 53, keepsValues = true }: DigestTableOptions = {}) {
  const isWide = bits === 68;
  const parts = Array.from({ length: PARTS }, () => emptyPart(FIRST_SLOTS, isWide, keepsValues));
  const partOf = (digest: string) => parts[partAt(digest)] as Part;
  const tagOf = isWide ? wideTag : narrowTag;

  /** The part of the table to which a digest belongs, enlarged if it is full. */
  function roomyPart(digest: string): Part {
    const at = partAt(digest);
    const part = parts[at] as Part;
    if (part.used < part.low.length * MAX_LOAD) return part;
    const roomy = larger(part, isWide, keepsValues);
    parts[at] = roomy;
    return roomy;
  }

  return {
    add(digest: string, value: number): void {
      const [part, low] = [roomyPart(digest), lowOf(digest)];
      put(part, emptySlot(part, low), { low, tag: tagOf(digest), value });
    },
    /** Adds the value if the digest has none, and returns undefined. Otherwise returns the digest's first value. */
    addOnce(digest: string, value: number): number | undefined {
      const [part, low, tag] = [roomyPart(digest), lowOf(digest), tagOf(digest)];
      const slot = slotFrom(part, low % part.low.length, low, tag);
      if (part.tag[slot] !== 0) return part.value[slot] ?? 0;
      put(part, slot, { low, tag, value });
      return undefined;
    },
    has(digest: string): boolean {
      const [part, low] = [partOf(digest), lowOf(digest)];
      return part.tag[slotFrom(part, low % part.low.length, low, tagOf(digest))] !== 0;
    },
    /** The digest's values, `most` at the most. */
    find(digest: string, most: number): readonly number[] {
      const [part, low, tag] = [partOf(digest), lowOf(digest), tagOf(digest)];
      const found: number[] = [];
      let slot = slotFrom(part, low % part.low.length, low, tag);
      while (part.tag[slot] !== 0 && found.length < most) {
        found.push(part.value[slot] ?? 0);
        slot = slotFrom(part, slotAfter(part, slot), low, tag);
      }
      return found;
    },
  };
}

/** A set of keys that takes a few bytes for each. Adding a key answers whether it is new. */
export type KeySet = ReturnType<typeof makeKeySet>;

/**
 * A set of keys of `identity.ts`, for counting: 11 MB for a million. It compares 53 of the 96 bits, so a count of a
 * million keys is one too low once in some 16,000 times.
 */
export function makeKeySet() {
  const table = makeDigestTable({ keepsValues: false });
  return {
    has: table.has,
    /** Adds the key; true if it was new. */
    add: (key: string): boolean => table.addOnce(key, 0) === undefined,
  };
}

/** The part is chosen by one letter of a digest, which has 64 values. */
const PARTS = 64;

/** Slots of a part at first: small files should take little memory. */
const FIRST_SLOTS = 64;

/** The share of a part's slots that may be in use: a fuller table makes searches slow. */
const MAX_LOAD = 0.75;

/** Growing by half leaves at most a third of the slots that may be used empty; doubling would leave half of them. */
const GROWTH = 1.5;

/** The number of a digest's part. Only last letters count here and below: the first ones of `anywhereOf` take few values. */
const partAt = (digest: string): number => sixBits(digest, 9);

/** 32 bits of a digest, which also choose its slot. */
const lowOf = (digest: string): number => lettersAsNumber(digest, 10, 16) >>> 0;

/** 15 further bits. Never 0, because 0 marks an empty slot. */
const narrowTag = (digest: string): number => (lettersAsNumber(digest, 6, 9) & 0x7fff) + 1;

/** 30 further bits. Never 0, because 0 marks an empty slot. */
const wideTag = (digest: string): number => lettersAsNumber(digest, 4, 9) + 1;

/** One part's arrays; `value` is empty in a set. */
type Part = { low: Uint32Array; tag: Uint16Array | Uint32Array; value: Uint32Array; used: number };

function emptyPart(slots: number, isWide: boolean, keepsValues: boolean): Part {
  return {
    low: new Uint32Array(slots),
    tag: isWide ? new Uint32Array(slots) : new Uint16Array(slots),
    value: new Uint32Array(keepsValues ? slots : 0),
    used: 0,
  };
}

const slotAfter = ({ low }: Part, slot: number): number => (slot + 1 === low.length ? 0 : slot + 1);

/** The first slot from `slot` on with these bits, or the first empty slot if that comes earlier. */
function slotFrom(part: Part, slot: number, ofLow: number, ofTag: number): number {
  const { low, tag } = part;
  let at = slot;
  while (tag[at] !== 0 && (low[at] !== ofLow || tag[at] !== ofTag)) at = slotAfter(part, at);
  return at;
}

function emptySlot(part: Part, low: number): number {
  let slot = low % part.low.length;
  while (part.tag[slot] !== 0) slot = slotAfter(part, slot);
  return slot;
}

function put(part: Part, slot: number, { low, tag, value }: { low: number; tag: number; value: number }): void {
  part.low[slot] = low;
  part.tag[slot] = tag;
  if (part.value.length > 0) part.value[slot] = value;
  part.used += 1;
}

/** Copies a part into larger arrays. It begins behind an empty slot and goes in slot order, so the values of one digest keep their order. */
function larger(old: Part, isWide: boolean, keepsValues: boolean): Part {
  const slots = old.low.length;
  const part = emptyPart(Math.ceil(slots * GROWTH), isWide, keepsValues);
  const start = old.tag.indexOf(0);
  for (let step = 0; step < slots; step += 1) {
    const slot = (start + step) % slots;
    const [low = 0, tag = 0, value = 0] = [old.low[slot], old.tag[slot], old.value[slot]];
    if (tag !== 0) put(part, emptySlot(part, low), { low, tag, value });
  }
  return part;
}
