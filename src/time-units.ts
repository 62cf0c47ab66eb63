/** An hour and a day, in ms. A day is 24 hours, whatever a clock on the wall does in it. */
export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
