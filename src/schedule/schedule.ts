/** What the schedule may name, in the order in which they run where several are due at once. */
export const TASKS = ['audit', 'inbox', 'retry', 'reconcile'] as const;
export type TaskName = (typeof TASKS)[number];

/** One line of the schedule. */
export type ScheduleEntry = {
  task: TaskName;
  /** Five fields of cron: minute, hour, day of the month, month, day of the week. */
  pattern: string;
  /** An IANA time zone, such as `Europe/Berlin`. */
  tz: string;
};
