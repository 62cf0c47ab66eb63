import type { Strip, StripState } from '../layout/strip.ts';
import { makeSharedRead } from './shared-read.ts';

/** A page is not kept waiting for its strip. */
const PATIENCE_MS = 1_500;

const AWAY = 'Redis does not answer: nothing is sent, and nothing here changes, until it is back.';

/**
 * Reads the strip for all pages together: what was read less than `freshMs` ago is good enough. Where none is to be had, it
 * is the last one with the word that Redis is away, and since when.
 */
export function makeStripReader({ strip, freshMs }: { strip: () => Promise<Strip>; freshMs: number }) {
  let state: StripState = { strip: undefined, away: undefined, atMs: 0 };
  let triedAtMs = Number.NEGATIVE_INFINITY;
  const read = makeSharedRead(strip, PATIENCE_MS);

  const fresh = async (): Promise<StripState> => {
    if (performance.now() - triedAtMs < freshMs) return state;
    const found = await read();
    // Whatever went wrong, the pages cannot know how things stand; the log of it is with those who asked Redis.
    state = 'value' in found ? { strip: found.value, away: undefined, atMs: Date.now() } : { ...state, away: AWAY };
    triedAtMs = performance.now();
    return state;
  };
  /** As it was read last, at once. */
  return { fresh, last: (): StripState => state };
}
