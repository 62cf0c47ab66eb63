/** What may pass by itself is tried again within seconds, and then less and less often. */
const FIRST_MS = 5_000;

/** What a person has to mend takes a person's time. */
const FIRST_SLOW_MS = 5 * 60_000;

/** Seldom enough for a receiver that is away for days, and often enough for a person who waits for the first notice after. */
const MOST_MS = 3_600_000;

/** A receiver may ask for more, but not for so long that a notice would be given up by it. */
const MOST_ASKED_MS = 24 * 3_600_000;

/**
 * How long to wait before the next try, in ms: twice as long after each failure, some more or less so that processes do not come together.
 *
 * @param failures in a row, with the last: 1 or more
 * @param askedMs what the receiver asked for
 * @param random from 0 to 1
 */
export function backoffMs(
  { failures, passes, askedMs = 0 }: { failures: number; passes: boolean; askedMs?: number | undefined },
  random: number = Math.random(),
): number {
  const first = passes ? FIRST_MS : FIRST_SLOW_MS;
  const waitMs = Math.min(MOST_MS, first * 2 ** Math.min(failures - 1, 20)) * (0.8 + 0.4 * random);
  return Math.round(Math.max(waitMs, Math.min(askedMs, MOST_ASKED_MS)));
}
