import type { Turn } from './turn.ts';

/** As far as turns are handed out ahead (pace-scripts.ts): one that is older was meant for another moment. */
const USED_WITHIN_MS = 25;

/** Turns that were granted and that nobody waited for, in the order in which they come due. None is under a ceiling. */
export function makeSpareTurns() {
  let turns: { episode: number; dueMs: number }[] = [];

  return {
    add: (episode: number, dueMs: number): void => void turns.push({ episode, dueMs }),

    /** The first that is due; those that came due too long ago are gone. */
    take(nowMs = performance.now()): Turn | undefined {
      const fresh = turns.findIndex(({ dueMs }) => nowMs - dueMs <= USED_WITHIN_MS);
      if (fresh !== 0) turns = fresh === -1 ? [] : turns.slice(fresh);
      const [first] = turns;
      // Timers count whole milliseconds; what is due within one is due now.
      if (!first || first.dueMs > nowMs + 1) return undefined;
      turns.shift();
      const { episode } = first;
      return { episode, isLost: () => false, leave: () => true };
    },

    count: (): number => turns.length,

    /** All calls have stopped: these would run into what stopped them. */
    forget(): void {
      turns = [];
    },
  };
}
