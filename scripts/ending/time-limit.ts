import type { Duration } from '../options/durations.ts';

export type TimeLimit = ReturnType<typeof startTimeLimit>;

/**
 * Calls `onOver` once when the time of `--deadline` is over; never without a limit. Does not keep the process alive; `forget`
 * cancels it.
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
    /** The time as it was given. */
    text: limit?.text ?? '',
    forget: (): void => clearTimeout(timer),
  };
}
