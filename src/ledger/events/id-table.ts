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
