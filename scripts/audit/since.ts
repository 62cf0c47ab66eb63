import { InvalidArgumentError } from 'commander';
import { readDuration } from '../options/durations.ts';

/** Parses a time to begin at, in ms: a day in UTC, a time such as 2026-11-22T10:00Z, or an age such as 12h or 90m. */
export function since(text: string): number {
  const given = text.trim();
  if (/^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)?)?$/.test(given)) {
    const isBare = given.includes('T') && !/(Z|[+-]\d\d:\d\d)$/.test(given);
    const atMs = Date.parse(isBare ? `${given}Z` : given);
    if (Number.isFinite(atMs) && isDay(given.slice(0, 10))) return atMs;
  }
  if (/^\d/.test(given) && /[hms]$/i.test(given)) return Date.now() - readDuration(given).ms;
  throw new InvalidArgumentError(
    'Give a day such as 2026-11-22, a moment such as 2026-11-22T10:00Z, or a time such as 12h.',
  );
}

/** Date accepts February 30 and makes it a day of March. */
function isDay(text: string): boolean {
  return new Date(text).toISOString().startsWith(text);
}
