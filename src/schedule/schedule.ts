import { DAY_MS } from '../time-units.ts';

/** The tasks of a schedule, in the order in which they run if several are due at once. */
export const TASKS = ['audit', 'inbox', 'reconcile', 'retry', 'archive'] as const;
export type TaskName = (typeof TASKS)[number];

/** One line of the schedule. */
export type ScheduleEntry = {
  task: TaskName;
  /** Five fields of cron: minute, hour, day of the month, month, day of the week. */
  pattern: string;
  /** An IANA time zone, such as `Europe/Berlin`. */
  tz: string;
};

/**
 * The schedule without a setting, in local time, when offices are empty. The audit trail is cut before the other tasks add to it. Retries
 * follow the check, when the queues are known to be complete, and only portfolios that were just checked are archived. The drop folder
 * is watched all the time, so `inbox` is not in it.
 */
export const DEFAULT_SCHEDULE = 'audit 02:15; reconcile 02:30; retry 04:00; archive 04:30';

/** This machine's time zone, for entries that name none; UTC if `TZ` is unknown. */
export function localZone(): string {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return isZone(`${timeZone}`) ? timeZone : 'UTC';
}

/** Formatters of dates by time zone. They are kept, since making one costs a hundred times as much as using it. */
const FORMATS = new Map<string, Intl.DateTimeFormat>();

/** Whether this machine knows a time zone of this name. A mere offset such as `+02:00` is none, since it lacks daylight saving. */
export function isZone(name: string): boolean {
  if (!/^[a-z]/i.test(name)) return false;
  try {
    formatOf(name);
    return true;
  } catch {
    return false;
  }
}

/** The local time at a moment, as the moment at which UTC shows the same time: so `getUTCHours` and the like give local values. */
export function wallClock(atMs: number, tz: string): number {
  const parts: Record<string, number> = {};
  for (const { type, value } of formatOf(tz).formatToParts(atMs)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/**
 * The moments at which local clocks show this time (in the form of {@link wallClock}). There is nearly always one. There are two in the
 * repeated hour of an autumn night, and none in the skipped hour of a spring night. `shifted` is for that hour: the moment at which clocks
 * would show this time if they had not been put forward.
 */
export function momentsAt(wallMs: number, tz: string): { moments: readonly number[]; shifted: number } {
  // These are the offsets one day before and one day after. No zone changes its clocks twice in between.
  const before = offsetAt(wallMs - DAY_MS, tz);
  const behind = offsetAt(wallMs + DAY_MS, tz);
  const moments = [...new Set([wallMs - before, wallMs - behind])]
    .filter((moment) => wallClock(moment, tz) === wallMs)
    .sort((one, other) => one - other);
  return { moments, shifted: wallMs - before };
}

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
