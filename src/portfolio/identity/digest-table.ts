/** Which numbers a mark was given, in the order of their coming. A mark is a whole number of 53 bits, spread evenly. */
export type DigestTable = {
  add(mark: number, value: number): void;
  has(mark: number): boolean;
  /** As many as were added, and no more than `most`. */
  find(mark: number, most: number): readonly number[];
};

/**
 * A table of marks, of a digest or of what it would be made of, in typed arrays: 10 bytes a slot, some 15 MB for a million.
 * Among four million marks, two different things are taken for one with a chance of 1 in 1,000.
 *
 * It is cut into parts that grow one by one, since a table of that size that grows at once needs as much again meanwhile.
 */
export function makeDigestTable(): DigestTable {
  const parts = Array.from({ length: PARTS }, () => emptyPart(FIRST_SLOTS));

  return {
    add(mark, value) {
      const [low, high] = [mark >>> 0, highOf(mark)];
      let part = parts[high % PARTS] as Part;
      if (part.used >= part.value.length * MAX_LOAD) {
        part = larger(part);
        parts[high % PARTS] = part;
      }
      put(part, low, (high / PARTS) | 0, value);
    },
    has(mark) {
      const [low, high] = [mark >>> 0, highOf(mark)];
      const part = parts[high % PARTS] as Part;
      return slotAfter(part, firstSlot(part, low), low, (high / PARTS) | 0) !== -1;
    },
    find(mark, most): readonly number[] {
      const [low, high] = [mark >>> 0, highOf(mark)];
      const part = parts[high % PARTS] as Part;
      const tag = (high / PARTS) | 0;
      const found: number[] = [];
      let slot = slotAfter(part, firstSlot(part, low), low, tag);
      while (slot !== -1) {
        found.push((part.value[slot] ?? 0) - 1);
        if (found.length === most) break;
        slot = slotAfter(part, slot + 1 === part.value.length ? 0 : slot + 1, low, tag);
      }
      return found;
    },
  };
}

/** By six of the upper 21 bits of a mark; the other 15 are kept, and so are the lower 32. */
const PARTS = 64;

function highOf(mark: number): number {
  return Math.floor(mark / 2 ** 32);
}

/** Small files should stay small. */
const FIRST_SLOTS = 64;

/** Beyond it, searches along the table grow long. */
const MAX_LOAD = 0.75;

/** In place of twice: half a table may stand empty then, here a third. */
const GROWTH = 1.5;

/** Values are one more than what was given: 0 is an empty slot. */
type Part = { low: Uint32Array; tag: Uint16Array; value: Uint32Array; used: number };

function emptyPart(slots: number): Part {
  return { low: new Uint32Array(slots), tag: new Uint16Array(slots), value: new Uint32Array(slots), used: 0 };
}

function firstSlot({ value }: Part, low: number): number {
  return low % value.length;
}

/** The first slot of this mark from `slot` on, or -1 where an empty one comes first. */
function slotAfter({ low, tag, value }: Part, slot: number, ofLow: number, ofTag: number): number {
  const slots = value.length;
  let at = slot;
  while (value[at] !== 0) {
    if (low[at] === ofLow && tag[at] === ofTag) return at;
    at = at + 1 === slots ? 0 : at + 1;
  }
  return -1;
}

function put(part: Part, low: number, tag: number, value: number): void {
  const slots = part.value.length;
  let slot = firstSlot(part, low);
  while (part.value[slot] !== 0) slot = slot + 1 === slots ? 0 : slot + 1;
  part.low[slot] = low;
  part.tag[slot] = tag;
  part.value[slot] = value + 1;
  part.used += 1;
}

/** Those of one mark stay in their order: the old table is gone through from a slot behind which no search runs on. */
function larger(old: Part): Part {
  const part = emptyPart(Math.ceil(old.value.length * GROWTH));
  const slots = old.value.length;
  const start = old.value.indexOf(0);
  for (let step = 0; step < slots; step += 1) {
    const slot = (start + step) % slots;
    const value = old.value[slot] ?? 0;
    if (value !== 0) put(part, old.low[slot] ?? 0, old.tag[slot] ?? 0, value - 1);
  }
  return part;
}
