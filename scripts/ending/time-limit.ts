import type { Duration } from '../options/durations.ts';

export type TimeLimit = ReturnType<typeof startTimeLimit>;

/**
 * Counts the time of `--deadline` from now on and calls `onOver` when it is over, once. Without one, that never happens. It
 * keeps no process that has nothing else to do; `forget` ends it.
 */
export function startTimeLimit(limit: Duration | undefined, onOver: () => void) {
  let over = false;
  const timer =
    limit &&
    setTimeout(() => {
      over = true;
      onOver();
    }, limit.ms).unref();
  return {
    isOver: (): boolean => over,
    /** What was given, for what is said of it. */
    text: limit?.text ?? '',
    forget: (): void => clearTimeout(timer),
  };
}
