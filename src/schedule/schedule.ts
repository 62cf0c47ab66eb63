import { isZone } from './zone.ts';

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
