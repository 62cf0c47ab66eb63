import { makeDigestTable } from './digest-table.ts';

/** Tells new keys from known ones. */
export type KeySet = {
  /** Adds the key; true if it was new. */
  add(key: string): boolean;
  has(key: string): boolean;
};

/**
 * A set of keys of `identity.ts`, for counting: 11 MB for a million. It compares 53 of the 96 bits, so a count of a
 * million is one too low with a chance of 6 in 100,000.
 */
export function makeKeySet(): KeySet {
  const table = makeDigestTable({ keepsValues: false });
  return {
    has: table.has,
    add: (key) => table.addOnce(key, 0) === undefined,
  };
}
