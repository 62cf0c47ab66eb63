import type { Grant } from './turn.ts';

/** As far as turns are handed out ahead (pace-scripts.ts): one that is older was meant for another moment. */
const USED_WITHIN_MS = 25;

/** Of which grant a turn is, and when it comes due, as `performance.now()` has it. */
type Due = { grant: Grant; dueMs: number };

/** Turns that were granted and that nobody waited for, in the order in which they come due. */
export function makeSpareTurns() {
  let turns: Due[] = [];

  return {
    add: (turn: Due): void => void turns.push(turn),

    /** The first that is due; those that came due too long ago are gone. */
    take(nowMs = performance.now()): Due | undefined {
      const fresh = turns.findIndex(({ dueMs }) => nowMs - dueMs <= USED_WITHIN_MS);
      if (fresh !== 0) turns = fresh === -1 ? [] : turns.slice(fresh);
      const [first] = turns;
      // Timers count whole milliseconds; what is due within one is due now.
      return first && first.dueMs <= nowMs + 1 ? turns.shift() : undefined;
    },

    count: (): number => turns.length,

    /** All calls have stopped: these would run into what stopped them. */
    forget(): void {
      turns = [];
    },
  };
}
