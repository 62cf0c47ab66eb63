/**
 * The mark of a set: two sets whose marks are the same have the same members, except once in 2^64 times. It is the same in whatever
 * order members come, so that an index of a million is compared with its rows in memory for none of them.
 */
export type Mark = {
  /** Takes in a member: a text, and two numbers that go with it. */
  add(text: string, one?: number, other?: number): void;
  /** The same of a member as Redis answers it, where it is no text: all behind its first bytes. */
  addBytes(bytes: Buffer, from: number, one: number, other: number): void;
  is(other: Mark): boolean;
  state(): readonly number[];
};

/** Sums stay exact integers below this. */
const MODULUS = 2 ** 52;

export function makeMark(): Mark {
  let [count, sum, both] = [0, 0, 0];
  const take = (high: number, low: number) => {
    count += 1;
    sum = (sum + mixed(high)) % MODULUS;
    both ^= mixed(low ^ Math.imul(high, 0x9e3779b1));
  };
  return {
    add(text, one = 0, other = 0) {
      let [high, low] = [one | 0, other | 0];
      for (let place = 0; place < text.length; place += 1) {
        const code = text.charCodeAt(place);
        high = Math.imul(high ^ code, 0x01000193);
        low = Math.imul(low + code, 0x85ebca6b) ^ (low >>> 13);
      }
      take(high, low);
    },
    addBytes(bytes, from, one, other) {
      let [high, low] = [one | 0, other | 0];
      for (let place = from; place < bytes.length; place += 1) {
        const code = bytes[place] ?? 0;
        high = Math.imul(high ^ code, 0x01000193);
        low = Math.imul(low + code, 0x85ebca6b) ^ (low >>> 13);
      }
      take(high, low);
    },
    is: (other) => other.state().every((value, place) => value === [count, sum, both][place]),
    state: () => [count, sum, both],
  };
}

/** Spreads the bits of a number, so that numbers that differ little are far apart (the finisher of MurmurHash3). */
function mixed(value: number): number {
  let bits = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
