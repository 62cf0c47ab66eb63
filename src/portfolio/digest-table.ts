/** Which numbers a digest was given, in the order of their coming. */
export type DigestTable = {
  add(digest: string, value: number): void;
  /** As many as were added, and no more than `most`. */
  find(digest: string, most: number): readonly number[];
};

/**
 * A table of digests (16 characters of base64url) in typed arrays: 10 bytes a slot, some 15 MB for a million. It keeps 54
 * of the digest's 96 bits: among four million, two different ones are taken for one with a chance of 4 in 10,000.
 *
 * It is cut into parts that grow one by one, since a table of that size that grows at once needs as much again meanwhile.
 */
export function makeDigestTable(): DigestTable {
  const parts = Array.from({ length: PARTS }, () => emptyPart(FIRST_SLOTS));
  const bytes = Buffer.alloc(DIGEST_BYTES);

  const read = (digest: string) => {
    bytes.write(digest, 'base64url');
    return { part: bytes.readUInt8(0) >> 2, low: bytes.readUInt32BE(1), high: bytes.readUInt16BE(5) };
  };

  return {
    add(digest, value) {
      const { part: place, low, high } = read(digest);
      let part = parts[place] as Part;
      if (part.used >= part.value.length * MAX_LOAD) {
        part = larger(part);
        parts[place] = part;
      }
      put(part, low, high, value);
    },
    find(digest, most): readonly number[] {
      const { part: place, low, high } = read(digest);
      const part = parts[place] as Part;
      let found: number[] = NONE;
      const slots = part.value.length;
      for (let slot = low % slots; part.value[slot] !== 0; slot = slot + 1 === slots ? 0 : slot + 1) {
        if (part.low[slot] !== low || part.high[slot] !== high) continue;
        if (found === NONE) found = [];
        found.push((part.value[slot] ?? 0) - 1);
        if (found.length === most) break;
      }
      return found;
    },
  };
}

const DIGEST_BYTES = 12;

/** What most searches find; nobody may add to it. */
const NONE: number[] = [];

/** By six bits of the digest. */
const PARTS = 64;

/** Small files should stay small. */
const FIRST_SLOTS = 64;

/** Beyond it, searches along the table grow long. */
const MAX_LOAD = 0.75;

/** In place of twice: half a table may stand empty then, here a third. */
const GROWTH = 1.5;

/** Values are one more than what was given: 0 is an empty slot. */
type Part = { low: Uint32Array; high: Uint16Array; value: Uint32Array; used: number };

function emptyPart(slots: number): Part {
  return { low: new Uint32Array(slots), high: new Uint16Array(slots), value: new Uint32Array(slots), used: 0 };
}

function put(part: Part, low: number, high: number, value: number): void {
  const slots = part.value.length;
  let slot = low % slots;
  while (part.value[slot] !== 0) slot = slot + 1 === slots ? 0 : slot + 1;
  part.low[slot] = low;
  part.high[slot] = high;
  part.value[slot] = value + 1;
  part.used += 1;
}

/** Those of one digest stay in their order: the old table is gone through from a slot behind which no search runs on. */
function larger(old: Part): Part {
  const part = emptyPart(Math.ceil(old.value.length * GROWTH));
  const slots = old.value.length;
  const start = old.value.indexOf(0);
  for (let step = 0; step < slots; step += 1) {
    const slot = (start + step) % slots;
    const value = old.value[slot] ?? 0;
    if (value !== 0) put(part, old.low[slot] ?? 0, old.high[slot] ?? 0, value - 1);
  }
  return part;
}
