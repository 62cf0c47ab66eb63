import { type ScheduleEntry, TASKS, type TaskName } from './schedule.ts';

/**
 * Reads a schedule as people write it: an entry a line, or between semicolons: a task, when, and a time zone.
 *
 * `reconcile 02:30 Europe/Berlin; retry 30 4 * * 1-5`
 *
 * @param tz the time zone of an entry that names none
 * @returns the entries, and one sentence for each fault
 */
export function readSchedule(
  text: string,
  tz: string = Intl.DateTimeFormat().resolvedOptions().timeZone,
): { entries: ScheduleEntry[]; faults: string[] } {
  const [entries, faults]: [ScheduleEntry[], string[]] = [[], []];
  for (const line of text.split(/[\n;]/).map((part) => part.trim())) {
    if (line === '' || line.startsWith('#')) continue;
    const [, task = '', at = ''] = /^(\S+)\s+(.*)$/.exec(line) ?? [];
    const [, hour, minute, zone = tz] = /^(\d\d):(\d\d)(?:\s+(\S+))?$/.exec(at) ?? [];
    if (!TASKS.includes(task as TaskName) || hour === undefined || minute === undefined) {
      faults.push(`${JSON.stringify(line)} in it is not a task and a time, such as reconcile 02:30 Europe/Berlin`);
    } else {
      entries.push({ task: task as TaskName, pattern: `${Number(minute)} ${Number(hour)} * * *`, tz: zone });
    }
  }
  return { entries, faults };
}
