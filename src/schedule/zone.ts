/** Making one costs a hundred times what asking it does. */
const FORMATS = new Map<string, Intl.DateTimeFormat>();

/** Whether this is the name of a time zone that this machine knows; a mere offset such as `+02:00` knows no daylight saving. */
export function isZone(name: string): boolean {
  if (!/^[a-z]/i.test(name)) return false;
  try {
    formatOf(name);
    return true;
  } catch {
    return false;
  }
}

/**
 * What the clock on the wall shows at a moment, as the moment at which a clock in UTC shows the same: so that days and hours can be
 * reckoned with `getUTCHours` and its like.
 */
export function wallClock(atMs: number, tz: string): number {
  const parts: Record<string, number> = {};
  for (const { type, value } of formatOf(tz).formatToParts(atMs)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/**
 * The moments at which the clock on the wall shows this (in the form of {@link wallClock}): one nearly always; two in the hour that
 * an autumn night has twice; none in the hour that a spring night leaves out, and then `shifted` is the moment at which it would have
 * been had the clock not been put forward.
 */
export function momentsAt(wallMs: number, tz: string): { moments: readonly number[]; shifted: number } {
  // A day before and behind, no change of the clock is near: no zone has two of them within that.
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
