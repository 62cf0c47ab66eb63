/** Creating a format takes a hundred times as long as using it. */
const FORMATS = new Map<string, Intl.DateTimeFormat>();

/** Whether this machine knows the time zone. A mere offset such as `+02:00` is not accepted: it has no daylight saving time. */
export function isZone(name: string): boolean {
  if (!/^[a-z]/i.test(name)) return false;
  try {
    formatOf(name);
    return true;
  } catch {
    return false;
  }
}

/** The local time in a zone, as a number whose UTC parts (`getUTCHours` and so on) are the local day and time. */
export function wallClock(atMs: number, tz: string): number {
  const parts: Record<string, number> = {};
  for (const { type, value } of formatOf(tz).formatToParts(atMs)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/**
 * The moments that have this local time (in the form of {@link wallClock}). Usually there is one. An hour that is repeated in autumn gives
 * two. An hour that is skipped in spring gives none; `shifted` is then the moment that it would have been without the change.
 */
export function momentsAt(wallMs: number, tz: string): { moments: readonly number[]; shifted: number } {
  // No zone changes its clock twice within two days, so a day before and after, the offsets are those around the change.
  const before = offsetAt(wallMs - DAY_MS, tz);
  const behind = offsetAt(wallMs + DAY_MS, tz);
  const moments = [...new Set([wallMs - before, wallMs - behind])]
    .filter((moment) => wallClock(moment, tz) === wallMs)
    .sort((one, other) => one - other);
  return { moments, shifted: wallMs - before };
}

const DAY_MS = 86_400_000;

function offsetAt(atMs: number, tz: string): number {
  const second = Math.floor(atMs / 1_000) * 1_000;
  return wallClock(second, tz) - second;
}

function formatOf(tz: string): Intl.DateTimeFormat {
  let format = FORMATS.get(tz);
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: tz,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    FORMATS.set(tz, format);
  }
  return format;
}
