/**
 * So many different ids are told apart: 10 MB, taken only as far as there are ids. A row's walk costs what it costs for each row, however
 * many there are in the table.
 */
export const MOST_TABLE_IDS = 262_144;

export type IdTable = ReturnType<typeof makeIdTable>;

/**
 * Counts ids that are met over and over, and says of others whether they were: for a look at a million rows, which may take no time.
 * Nothing of an id is kept but 52 bits of a digest that is quick and not safe; two of a million are one in one case of thousands.
 *
 * @param ids so many at the most, of which none is told twice
 */
export function makeIdTable(ids: number) {
  const size = 2 ** Math.ceil(Math.log2(Math.max(2, 2 * Math.min(ids, MOST_TABLE_IDS))));
  const digests = new Float64Array(size);
  const counts = new Uint32Array(size);
  const lastMs = new Float64Array(size);
  let used = 0;

  /** Where an id stands, or would. */
  const slotOf = (digest: number): number => {
    let slot = digest % size;
    while (digests[slot] !== 0 && digests[slot] !== digest) slot = (slot + 1) % size;
    return slot;
  };

  return {
    /** Counts an id. Answers its slot, or nothing where there is no room for another. */
    add(id: string, atMs: number): number | undefined {
      const digest = digestOf(id);
      const slot = slotOf(digest);
      if (digests[slot] === 0) {
        if (2 * (used + 1) > size) return undefined;
        used += 1;
        digests[slot] = digest;
      }
      counts[slot] = (counts[slot] ?? 0) + 1;
      lastMs[slot] = Math.max(lastMs[slot] ?? 0, atMs);
      return slot;
    },

    /** The slot of an id that was counted; nothing of any other. */
    find(id: string): number | undefined {
      if (id === '' || used === 0) return undefined;
      const slot = slotOf(digestOf(id));
      return digests[slot] === 0 ? undefined : slot;
    },

    /** How often what stands in a slot was counted, and when last. */
    at: (slot: number) => ({ count: counts[slot] ?? 0, lastMs: lastMs[slot] ?? 0 }),

    size,
  };
}

/** Two of FNV-1a's 32 bits, with another beginning each; never 0, which stands for nothing. */
function digestOf(id: string): number {
  let [high, low] = [0x811c9dc5, 0x01000193 ^ id.length];
  for (let at = 0; at < id.length; at += 1) {
    const code = id.charCodeAt(at);
    high = Math.imul(high ^ code, 0x01000193);
    low = Math.imul(low ^ code, 0x85ebca6b);
    low ^= low >>> 13;
  }
  return (high >>> 12) * 2 ** 32 + (low >>> 0) + 1;
}
