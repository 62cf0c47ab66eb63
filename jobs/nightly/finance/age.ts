const DAY_MS = 86_400_000;

/** How long something lasts, from which age on, the longest first; a month is 30 days here. */
const AGES = [
  [365 * DAY_MS, 'for more than a year'],
  [30 * DAY_MS, 'for more than a month'],
  [7 * DAY_MS, 'for more than a week'],
  [DAY_MS, 'for more than a day'],
] as const;

/** How long something lasts, in a few words that many rows share; pure. A clock that went back makes nothing older. */
export function ageWords(ageMs: number): string {
  return AGES.find(([from]) => ageMs >= from)?.[1] ?? 'for less than a day';
}
