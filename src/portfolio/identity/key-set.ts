import { digestNumber } from './digest-number.ts';

/** Tells keys that are new from those that came before. */
export type KeySet = {
  /** True when the key was not there; then it is. */
  add(key: string): boolean;
  has(key: string): boolean;
};

/**
 * A set of the keys of `identity.ts` in one typed array, for counting them: 8 bytes a slot, 17 MB for a million. It keeps
 * 53 of the key's 96 bits, so a count of a million is one too low with a chance of 6 in 100,000.
 */
export function makeKeySet(): KeySet {
  let slots = new Float64Array(FIRST_CAPACITY);
  let used = 0;

  function twice(): void {
    const old = slots;
    slots = new Float64Array(old.length * 2);
    for (const value of old) if (value !== 0) slots[slotOf(slots, value)] = value;
  }

  function numberOf(key: string): number {
    // Zero marks an empty slot, so no key may be it.
    return digestNumber(key) + 1;
  }

  return {
    has(key) {
      const value = numberOf(key);
      return slots[slotOf(slots, value)] === value;
    },
    add(key) {
      if (used >= slots.length * MAX_LOAD) twice();
      const value = numberOf(key);
      const slot = slotOf(slots, value);
      if (slots[slot] === value) return false;
      slots[slot] = value;
      used += 1;
      return true;
    },
  };
}

const FIRST_CAPACITY = 1024;

/** Beyond it, searches along the table grow long. */
const MAX_LOAD = 0.75;

/** The slot with this value, or the empty one where it belongs. */
function slotOf(slots: Float64Array, value: number): number {
  const mask = slots.length - 1;
  // The lower bits of a digest are spread, and a mask takes those of a number above 2^32 wrongly.
  let slot = (value % 0x1_0000_0000) & mask;
  while (slots[slot] !== 0 && slots[slot] !== value) slot = (slot + 1) & mask;
  return slot;
}
