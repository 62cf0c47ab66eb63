import { lettersAsNumber } from './digest.ts';

/** Which whole numbers digests (see `digestOf`) were given, in the order of their coming. */
type DigestTable = {
  add(digest: string, value: number): void;
  has(digest: string): boolean;
  /** Adds the value where the digest has none, and answers undefined; answers its first value where it has one. */
  addOnce(digest: string, value: number): number | undefined;
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

  /** The part in which there is room for one more. */
  function roomyPart(digest: string): Part {
    const at = lettersAsNumber(digest, 0, 1);
    const part = parts[at] as Part;
    if (part.used < part.low.length * MAX_LOAD) return part;
    const roomy = larger(part, isWide, keepsValues);
    parts[at] = roomy;
    return roomy;
  }

  return {
    add(digest, value) {
      const [part, low] = [roomyPart(digest), lowOf(digest)];
      put(part, emptySlot(part, low), { low, tag: tagOf(digest), value });
    },
    addOnce(digest, value) {
      const [part, low, tag] = [roomyPart(digest), lowOf(digest), tagOf(digest)];
      const slot = slotFrom(part, low % part.low.length, low, tag);
      if (part.tag[slot] !== 0) return part.value[slot] ?? 0;
      put(part, slot, { low, tag, value });
      return undefined;
    },
    has(digest) {
      const [part, low] = [partOf(digest), lowOf(digest)];
      return part.tag[slotFrom(part, low % part.low.length, low, tagOf(digest))] !== 0;
    },
    find(digest, most) {
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

/** By a digest's first letter. */
const PARTS = 64;

/** Small files should stay small. */
const FIRST_SLOTS = 64;

/** Beyond it, searches along the table grow long. */
const MAX_LOAD = 0.75;

/** In place of twice: half a table may stand empty then, here a third. */
const GROWTH = 1.5;

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

/** The first slot with these bits from `slot` on, or the empty one that comes before any. */
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

/** Those of one digest stay in their order: the old part is gone through from a slot behind which no search runs on. */
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
