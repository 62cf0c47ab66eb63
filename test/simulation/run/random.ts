/** Random numbers from a seed: the same ones on any machine. */
export type Random = ReturnType<typeof makeRandom>;

/** xorshift128 of Marsaglia, started with a hash of the seed's text. */
export function makeRandom(seed: string) {
  const state = new Uint32Array(4);
  for (let place = 0; place < 4; place += 1) state[place] = hash32(`${place} ${seed}`) || 1;
  const next = (): number => {
    let t = state[3] ?? 0;
    const s = state[0] ?? 0;
    state[3] = state[2] ?? 0;
    state[2] = state[1] ?? 0;
    state[1] = s;
    t ^= t << 11;
    t ^= t >>> 8;
    state[0] = (t ^ s ^ (s >>> 19)) >>> 0;
    return state[0] ?? 0;
  };
  return {
    /** A number from 0 to below 1. */
    share: (): number => next() / 2 ** 32,
    /** A whole number from 0 to below `count`. */
    below: (count: number): number => next() % count,
    bytes: (count: number): Buffer => Buffer.from(Array.from({ length: count }, () => next() & 255)),
    oneOf<T>(things: readonly T[]): T {
      return things[next() % things.length] as T;
    },
    /** The same things in a random order. */
    shuffled<T>(things: readonly T[]): T[] {
      const left = [...things];
      return things.map(() => left.splice(next() % left.length, 1)[0] as T);
    },
  };
}

/** The hash function FNV-1a. */
export function hash32(text: string): number {
  let hash = 0x811c9dc5;
  for (let place = 0; place < text.length; place += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(place), 0x01000193);
  }
  return hash >>> 0;
}
