import { makeDigestTable } from './digest-table.ts';

/** Tells keys that are new from those that came before. */
export type KeySet = {
  /** True when the key was not there; then it is. */
  add(key: string): boolean;
  has(key: string): boolean;
};

/**
 * A set of the keys of `identity.ts`, for counting them: 11 MB for a million. It compares 53 of the key's 96 bits, so a count
 * of a million is one too low with a chance of 6 in 100,000.
 */
export function makeKeySet(): KeySet {
  const table = makeDigestTable({ keepsValues: false });
  return {
    has: table.has,
    add: (key) => table.addOnce(key, 0) === undefined,
  };
}
