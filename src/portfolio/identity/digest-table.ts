import { lettersAsNumber } from './digest.ts';

/** Which whole numbers digests (see `digestOf`) were given, in the order of their coming. */
export type DigestTable = {
  add(digest: string, value: number): void;
  has(digest: string): boolean;
  /** The first that was added; undefined where none was. */
  first(digest: string): number | undefined;
  /** As many as were added, and no more than `most`. */
  find(digest: string, most: number): readonly number[];
};

/** `bits`: how many of a digest's are compared. `keepsValues`: false for a set, which only says whether a digest is there. */
export type DigestTableOptions = { bits?: 53 | 68; keepsValues?: boolean };

/**
 * A table of digests in typed arrays, since a Map of a million texts takes four times the memory. A slot takes 10 bytes, 4
 * less without values and 2 more with 68 bits; a million digests need some 1.8 million slots.
 *
 * Of a million digests, two are taken for one with a chance of 6 in 100,000 where 53 bits are compared, and of 2 in 10^9
 * where 68 are.
 *
 * It consists of parts that grow one by one, since a table of that size that grows at once needs as much again meanwhile.
 */
export function makeDigestTable({ bits = 53, keepsValues = true }: DigestTableOptions = {}): DigestTable {
  const isWide = bits === 68;
  const parts = Array.from({ length: PARTS }, () => emptyPart(FIRST_SLOTS, isWide, keepsValues));
  const partOf = (digest: string) => parts[lettersAsNumber(digest, 0, 1)] as Part;
  const tagOf = isWide ? wideTag : narrowTag;

  function firstSlot(part: Part, digest: string): number {
    const low = lowOf(digest);
    return slotFrom(part, low % part.low.length, low, tagOf(digest));
  }

  return {
    add(digest, value) {
      let part = partOf(digest);
      if (part.used >= part.low.length * MAX_LOAD) {
        part = larger(part, isWide, keepsValues);
        parts[lettersAsNumber(digest, 0, 1)] = part;
      }
      put(part, lowOf(digest), tagOf(digest), value);
    },
    has: (digest) => firstSlot(partOf(digest), digest) !== NONE,
    first(digest) {
      const part = partOf(digest);
      const slot = firstSlot(part, digest);
      return slot === NONE ? undefined : part.value[slot];
    },
    find(digest, most) {
      const part = partOf(digest);
      const found: number[] = [];
      let slot = firstSlot(part, digest);
      while (slot !== NONE) {
        found.push(part.value[slot] ?? 0);
        if (found.length === most) break;
        slot = slotFrom(part, slotAfter(part, slot), part.low[slot] ?? 0, part.tag[slot] ?? 0);
      }
      return found;
    },
  };
}

/** By a digest's first letter. */
const PARTS = 64;

/** Small files should stay small. */
const FIRST_SLOTS = 64;

/** Beyond it, searches along the table grow long. */
const MAX_LOAD = 0.75;

/** In place of twice: half a table may stand empty then, here a third. */
const GROWTH = 1.5;

/** No slot. */
const NONE = -1;

/** 32 bits of a digest, by which its slot is chosen too. */
function lowOf(digest: string): number {
  return lettersAsNumber(digest, 1, 7) >>> 0;
}

/** 15 bits more of it. Never 0, which marks an empty slot. */
function narrowTag(digest: string): number {
  return (lettersAsNumber(digest, 7, 10) & 0x7fff) + 1;
}

/** 30 bits more of it. Never 0 either. */
function wideTag(digest: string): number {
  return lettersAsNumber(digest, 7, 12) + 1;
}

/** The columns of a part; `value` is empty where no values are kept. */
type Part = { low: Uint32Array; tag: Uint16Array | Uint32Array; value: Uint32Array; used: number };

function emptyPart(slots: number, isWide: boolean, keepsValues: boolean): Part {
  return {
    low: new Uint32Array(slots),
    tag: isWide ? new Uint32Array(slots) : new Uint16Array(slots),
    value: new Uint32Array(keepsValues ? slots : 0),
    used: 0,
  };
}

function slotAfter({ low }: Part, slot: number): number {
  return slot + 1 === low.length ? 0 : slot + 1;
}

/** The first slot with these bits from `slot` on; `NONE` where an empty one comes first. */
function slotFrom(part: Part, slot: number, ofLow: number, ofTag: number): number {
  const { low, tag } = part;
  let at = slot;
  while (tag[at] !== 0) {
    if (low[at] === ofLow && tag[at] === ofTag) return at;
    at = slotAfter(part, at);
  }
  return NONE;
}

function put(part: Part, low: number, tag: number, value: number): void {
  let slot = low % part.low.length;
  while (part.tag[slot] !== 0) slot = slotAfter(part, slot);
  part.low[slot] = low;
  part.tag[slot] = tag;
  if (part.value.length > 0) part.value[slot] = value;
  part.used += 1;
}

/** Those of one digest stay in their order: the old part is gone through from a slot behind which no search runs on. */
function larger(old: Part, isWide: boolean, keepsValues: boolean): Part {
  const slots = old.low.length;
  const part = emptyPart(Math.ceil(slots * GROWTH), isWide, keepsValues);
  const start = old.tag.indexOf(0);
  for (let step = 0; step < slots; step += 1) {
    const slot = (start + step) % slots;
    const tag = old.tag[slot] ?? 0;
    if (tag !== 0) put(part, old.low[slot] ?? 0, tag, old.value[slot] ?? 0);
  }
  return part;
}
