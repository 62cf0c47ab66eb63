import { isZone } from './zone.ts';

/** What the schedule may name, in the order in which they run where several are due at once. */
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
 * What runs where nobody says otherwise, by the clock of the machine: when offices are empty and most banks' own nights are under
 * way. The trail is cut before anything is added to it, rows go again behind the check, when the queues are known to be whole, and
 * portfolios are archived that were checked this night. The drop folder is looked at at once, so it is no task by itself.
 */
export const DEFAULT_SCHEDULE = 'audit 02:15; reconcile 02:30; retry 04:00; archive 04:30';

/** The time zone of this machine, in which an entry is meant that names none; UTC where `TZ` has none that is known. */
export function localZone(): string {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return isZone(`${timeZone}`) ? timeZone : 'UTC';
}
